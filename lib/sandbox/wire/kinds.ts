import type { LiveEvent } from '../../events/live-event'
import type { EventKind } from '../../events/types'

/** The kinds of events in words. */
export const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  api_call: 'API call',
  token_exchange: 'Token exchange',
  login: 'Login',
  discovery: 'Discovery',
  uma_message: 'UMA message',
  lightning_message: 'Lightning message',
  payment: 'Payment',
  invoice: 'Invoice',
  payment_request: 'Payment request',
  connection: 'Connection',
  wallet: 'Wallet',
}

/** What a page shows beside the names of events. It is data of the page, so that the browser loads no code for it. */
export interface Words {
  /** Command by route. */
  readonly commands: Readonly<Record<string, string>>
  readonly kinds: Readonly<Record<EventKind, string>>
}

/** The command of a call, or the kind of another event; undefined where its name has the same words. */
export function wordBeside({ kind, name }: Pick<LiveEvent, 'kind' | 'name'>, words: Words): string | undefined {
  const word = words.commands[name] ?? words.kinds[kind]
  return name.toLowerCase().includes(word.toLowerCase()) ? undefined : word
}

/** Further facts on an event in one line. */
export function notesOf({ kind, failedCheck, summary }: Pick<LiveEvent, 'kind' | 'failedCheck' | 'summary'>): string {
  const isMessage = kind === 'uma_message' || kind === 'lightning_message'
  const parts = isMessage
    ? // "other": the node did not name a reason.
      [[summary, failedCheck === 'other' ? '' : failedCheck].filter(Boolean).join(': ')]
    : [failedCheck === null ? '' : `failed check: ${failedCheck}`, summary]
  return parts.filter(Boolean).join('. ')
}
