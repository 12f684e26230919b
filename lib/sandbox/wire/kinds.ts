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

/** The kind of an event in words, for use after its name; undefined where the name has the same words. */
export function kindBeside({ kind, name }: Pick<LiveEvent, 'kind' | 'name'>): string | undefined {
  return name.toLowerCase().includes(KIND_NAMES[kind].toLowerCase()) ? undefined : KIND_NAMES[kind]
}

/** Further facts on an event in one line. */
export function notesOf({
  kind,
  failedCheck,
  summary,
  replayOf,
}: Pick<LiveEvent, 'kind' | 'failedCheck' | 'summary' | 'replayOf'>): string {
  const isMessage = kind === 'uma_message' || kind === 'lightning_message'
  const parts = isMessage
    ? // "other": the node did not name a reason.
      [[summary, failedCheck === 'other' ? '' : failedCheck].filter(Boolean).join(': ')]
    : [failedCheck === null ? '' : `failed check: ${failedCheck}`, summary]
  return [...parts, replayOf === null ? '' : `replay of ${replayOf}`].filter(Boolean).join('. ')
}
