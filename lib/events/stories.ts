import { paymentOf, type LiveEvent } from './live-event'

/** The events of one payment, or of one request. */
export interface Story {
  /** The id of its oldest event, so that newer events leave it unchanged. */
  readonly id: string
  /** Newest first. */
  readonly rows: readonly LiveEvent[]
}

/** What an event has in common with the others of its story. */
export function keysOf(event: LiveEvent): string[] {
  return [paymentOf(event), event.requestId].filter((key) => key !== null)
}

/**
 * Puts events with the same payment hash or the same request id together. The rows, and the stories by their newest event, are
 * ordered newest first.
 */
export function storiesOf(rows: readonly LiveEvent[]): Story[] {
  // Keys of one story lead to the same last key.
  const next = new Map<string, string>()
  function lastOf(key: string): string {
    const following = next.get(key)
    if (following === undefined) return key
    const last = lastOf(following)
    next.set(key, last)
    return last
  }
  const keyOf = (row: LiveEvent) => lastOf(keysOf(row)[0] ?? row.id)
  for (const row of rows)
    for (const key of keysOf(row)) if (lastOf(key) !== keyOf(row)) next.set(lastOf(key), keyOf(row))
  const stories = new Map<string, LiveEvent[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const own = stories.get(key)
    if (own === undefined) stories.set(key, [row])
    else own.push(row)
  }
  return [...stories.values()].map((own) => ({ id: own.at(-1)?.id ?? '', rows: own }))
}
