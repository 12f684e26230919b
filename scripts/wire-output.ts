import { lanesOf } from '../lib/events/lanes'
import type { LiveEvent } from '../lib/events/live-event'
import { MAX_REPLY, type EventsReply, type EventsRequest } from '../lib/events/operator'
import { codeOf } from '../lib/events/queries'
import { visibleText, withHiddenEscaped } from '../lib/platform/visible-text'

function directionOf(event: LiveEvent): string {
  const { from, to } = lanesOf(event)
  if (from === to) return '-'
  return from === 'vasp' ? 'out' : 'in'
}

/** One line for a terminal. Other parties choose parts of the text, so it has no control or hidden characters. */
export function lineOf(event: LiveEvent): string {
  const { recordedAt, name, status, durationMs, userId, failedCheck, summary, injected } = event
  const columns = [
    recordedAt,
    directionOf(event).padEnd(3),
    shown(name).padEnd(26),
    String(status ?? '-').padEnd(3),
    (durationMs === null ? '-' : `${durationMs.toFixed(1)} ms`).padStart(9),
    shown(userId ?? '-').padEnd(8),
    // Only a failure has a code: the summary of a success may begin with a word in capitals.
    shown((status !== null && status >= 400 ? codeOf(summary) : undefined) ?? failedCheck ?? '-'),
    shown(summary),
    injected === null ? '' : shown(`injected: ${injected}`),
  ]
  return columns.filter(Boolean).join('  ')
}

function shown(text: string): string {
  return visibleText(text) ?? ''
}

/** One line of JSON with the fields that pages receive. What a terminal would act on or hide is escaped. */
export function jsonLineOf(event: LiveEvent): string {
  return withHiddenEscaped(JSON.stringify(event)).replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export interface Following {
  /** Undefined when no server answers at the moment. */
  readonly read: (request: EventsRequest) => Promise<EventsReply | undefined>
  readonly print: (event: LiveEvent) => void
  /** Called once each time that the server stops answering. */
  readonly onSilence: () => void
  /** Resolves when the next read is due. */
  readonly wait: () => Promise<unknown>
  readonly signal: AbortSignal
}

/** Prints the events after the last one of `first`, each once and in order, until the signal. */
export async function followEvents(
  { read, print, onSilence, wait, signal }: Following,
  { user }: EventsRequest,
  first: EventsReply,
): Promise<void> {
  let after = first.events.at(-1)?.id ?? '0'
  let isSilent = false
  while (!signal.aborted) {
    const reply = await read({ ...(user !== undefined && { user }), after, limit: MAX_REPLY })
    if (reply === undefined && !isSilent) onSilence()
    isSilent = reply === undefined
    for (const event of reply?.events ?? []) print(event)
    after = reply?.events.at(-1)?.id ?? after
    if (reply?.events.length !== MAX_REPLY) await wait()
  }
}
