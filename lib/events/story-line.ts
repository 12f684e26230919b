import { isFailed, paymentOf, type LiveEvent } from './live-event'
import type { Story } from './stories'
import type { EventKind } from './types'

/** The value of the filter that selects the story of these rows: its payment hash, or the request id. */
export function storyKey(rows: Story['rows']): string | undefined {
  const first = (keys: readonly (string | null)[]): string | undefined => keys.find((key) => key !== null) ?? undefined
  return first(rows.map(paymentOf)) ?? first(rows.map(({ requestId }) => requestId))
}

/** What a payment has come to, by the name of its event. */
const OUTCOMES: Readonly<Record<string, string>> = {
  'payment held': 'Paying',
  'payment succeeded': 'Paid',
  'payment failed': 'Not paid:',
  'payment written off': 'Written off:',
  'payment received': 'Received',
  'invoice paid': 'Received',
}

/** What another party began a story with. */
const CALLS: ReadonlySet<EventKind> = new Set(['api_call', 'token_exchange', 'login'])

export interface StoryLine {
  /** "Paid $bob@example.com 500 SAT", or the name of the call. */
  readonly title: string
  /** Whether money moved or should have. */
  readonly isPayment: boolean
  /** The call or login of the story, if it has one: the newest. */
  readonly call: LiveEvent | undefined
  readonly failedCount: number
  readonly totalMs: number
  /** "9 events · 1 failed · 1.2 s" */
  readonly figures: string
}

/** @param receiver the address that was paid, if it is known. */
export function lineOf(rows: Story['rows'], receiver?: string): StoryLine {
  const steps = stepsOf(rows)
  const outcome = rows.find(({ name }) => Object.hasOwn(OUTCOMES, name))
  const call = rows.find(({ kind }) => CALLS.has(kind))
  const title =
    outcome === undefined
      ? ((call ?? steps[0]?.row)?.name ?? '')
      : [OUTCOMES[outcome.name], receiver, outcome.summary.split(':')[0]].filter(Boolean).join(' ')
  const failedCount = rows.filter(isFailed).length
  const totalMs = Math.max(0, ...steps.map(({ afterMs, lastsMs }) => afterMs + lastsMs))
  const failed = failedCount === 0 ? [] : [`${failedCount} failed`]
  const figures = [`${rows.length} events`, ...failed, durationInWords(totalMs)].join(' · ')
  return { title, isPayment: outcome !== undefined, call, failedCount, totalMs, figures }
}

export interface Step {
  readonly row: LiveEvent
  /** From the beginning of the first step to the beginning of this one. */
  readonly afterMs: number
  readonly lastsMs: number
}

/** The events in the order in which they began. A call is recorded when it ends, after the messages that it caused. */
export function stepsOf(rows: readonly LiveEvent[]): Step[] {
  const steps = rows.toReversed().map((row) => {
    const lastsMs = row.durationMs ?? 0
    return { row, lastsMs, beganAtMs: Date.parse(row.recordedAt) - lastsMs }
  })
  const ordered = steps.toSorted((a, b) => a.beganAtMs - b.beganAtMs)
  const [first] = ordered
  return ordered.map(({ row, lastsMs, beganAtMs }) => ({
    row,
    lastsMs,
    afterMs: Math.round(beganAtMs - (first?.beganAtMs ?? 0)),
  }))
}

/** "12 ms", "1.2 s", "3 min", "2 h": a time for a person, rounded. */
export function durationInWords(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.round(ms / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
