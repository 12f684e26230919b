import { isFailed, type LiveEvent } from '../../events/live-event'
import { keysOf } from '../../events/stories'
import type { EventKind } from '../../events/types'

/** The filter in the address. An absent field selects every event. */
export interface WireFilter {
  readonly kind?: EventKind | undefined
  /** Route of a command, such as `GET /balance`. */
  readonly name?: string | undefined
  readonly connectionId?: string | undefined
  readonly outcome?: 'ok' | 'failed' | undefined
  /** A payment hash or a request id. */
  readonly story?: string | undefined
  readonly text?: string | undefined
}

/** Whether a live event belongs to the list. The rules are those of `listEvents`, but a new event of a payment has its hash. */
export function matchesFilter(row: LiveEvent, { kind, name, connectionId, outcome, story, text }: WireFilter): boolean {
  return (
    (kind === undefined || row.kind === kind) &&
    (name === undefined || row.name === name) &&
    (connectionId === undefined || row.connectionId === connectionId) &&
    (outcome === undefined || isFailed(row) === (outcome === 'failed')) &&
    (story === undefined || keysOf(row).includes(story)) &&
    (text === undefined || `${row.name} ${row.summary}`.toLowerCase().includes(text.toLowerCase()))
  )
}

/** More rows make a page slow. */
export const MOST_ROWS = 1_000

/** Puts new events before the rows. An event that is already listed is left out, and rows after the first 1,000 are removed. */
export function withNewRows(rows: readonly LiveEvent[], arrived: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(rows.map(({ id }) => id))
  const added = arrived.filter(({ id }) => !known.has(id) && known.add(id))
  return added.length === 0 ? rows : [...added.toReversed(), ...rows].slice(0, MOST_ROWS)
}
