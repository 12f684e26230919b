import { lanesInWords, lanesOf } from '../lib/events/lanes'
import { isFailed, type LiveEvent } from '../lib/events/live-event'
import { MAX_REPLY, type EventsReply, type EventsRequest } from '../lib/events/operator'
import { codeOf } from '../lib/events/queries'
import { storiesOf, type Story } from '../lib/events/stories'
import { durationInWords, stepsOf, lineOf as titleOf, type Step } from '../lib/events/story-line'
import { visibleText, withHiddenEscaped } from '../lib/platform/visible-text'

function directionOf(event: LiveEvent): string {
  const { from, to } = lanesOf(event)
  if (from === to) return '-'
  return from === 'vasp' ? 'out' : 'in'
}

/** One line for a terminal. Other parties choose parts of the text, so it has no control or hidden characters. */
export function lineOf(event: LiveEvent): string {
  return joined([event.recordedAt, directionOf(event).padEnd(3), ...columnsOf(event)])
}

function columnsOf(event: LiveEvent): string[] {
  const { name, status, durationMs, userId, failedCheck, summary, injected } = event
  return [
    shown(name).padEnd(26),
    String(status ?? '-').padEnd(3),
    (durationMs === null ? '-' : `${durationMs.toFixed(1)} ms`).padStart(9),
    shown(userId ?? '-').padEnd(8),
    // Only a failure has a code: the summary of a success may begin with a word in capitals.
    shown((isFailed(event) ? codeOf(summary) : undefined) ?? failedCheck ?? '-'),
    shown(summary),
    injected === null ? '' : shown(`injected: ${injected}`),
  ]
}

const joined = (columns: readonly string[]): string => columns.filter(Boolean).join('  ')

/** One line for each event that is alone. A story is a line, and below it one for each of its events, as the Wire's page shows them. */
function linesOf(rows: readonly LiveEvent[]): string[] {
  const [newest] = rows
  if (newest === undefined) return []
  if (rows.length === 1) return [lineOf(newest)]
  const { title, figures } = titleOf(rows)
  return [joined([newest.recordedAt, shown(title), figures]), ...stepsOf(rows).map(stepLine)]
}

/** The longest text of `lanesInWords`. */
const LANES_WIDTH = 'VASP → Other VASP'.length

function stepLine({ row, afterMs }: Step): string {
  const after = `+${durationInWords(afterMs)}`.padStart(12)
  return joined([after, lanesInWords(row).padEnd(LANES_WIDTH), ...columnsOf(row)])
}

/**
 * Prints events as stories. A story is printed when one read has brought nothing more of it, so it is printed once. What comes later
 * is a story of its own. A read without events prints the rest.
 */
export function storyPrinter(print: (line: string) => void): Following['print'] {
  let waiting: readonly LiveEvent[] = []
  return (arrived) => {
    const isNew = new Set(arrived)
    const isOpen = (story: Story): boolean => story.rows.some((row) => isNew.has(row))
    const rows = [...waiting, ...arrived]
    const stories = storiesOf(rows.toReversed()).toReversed()
    for (const line of stories.filter((story) => !isOpen(story)).flatMap((story) => linesOf(story.rows))) print(line)
    const open = new Set(stories.filter(isOpen).flatMap((story) => story.rows))
    waiting = rows.filter((row) => open.has(row))
  }
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
  /** Called after each read, with what it brought: nothing when no server answers. */
  readonly print: (events: readonly LiveEvent[]) => void
  /** Called once each time that the server stops answering. */
  readonly onSilence: () => void
  /** Resolves when the next read is due. */
  readonly wait: () => Promise<unknown>
  readonly signal: AbortSignal
}

/** Passes on the events after the last one of `first`, each once and in order, until the signal. */
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
    print(reply?.events ?? [])
    after = reply?.events.at(-1)?.id ?? after
    if (reply?.events.length !== MAX_REPLY) await wait()
  }
}
