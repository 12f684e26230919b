import type { LiveEvent } from '../../events/live-event'
import { keysOf } from './rows'

/** The events of one payment, or of one request. */
export interface Story {
  /** The id of its oldest event, so that newer events leave it unchanged. */
  readonly id: string
  /** Newest first. */
  readonly rows: readonly LiveEvent[]
}

/**
 * Puts events with the same payment hash or the same request id together. The rows, and the stories by their newest event, are
 * ordered newest first.
 */
export function storiesOf(rows: readonly LiveEvent[]): Story[] {
  // A story in progress is the positions of its rows.
  const byKey = new Map<string, number[]>()
  // In the order of their newest events, oldest first.
  const stories = new Set<number[]>()
  for (const [index, row] of rows.toReversed().entries()) {
    const keys = keysOf(row)
    let story: number[] | undefined
    for (const found of keys.map((key) => byKey.get(key))) {
      if (found === undefined || found === story) continue
      if (story !== undefined) {
        found.push(...story)
        stories.delete(story)
        for (const [key, each] of byKey) if (each === story) byKey.set(key, found)
      }
      story = found
    }
    story ??= []
    story.push(rows.length - 1 - index)
    stories.delete(story)
    stories.add(story)
    for (const key of keys) byKey.set(key, story)
  }
  return [...stories].toReversed().map((positions) => {
    const own = positions.toSorted((a, b) => a - b).flatMap((position) => rows[position] ?? [])
    return { id: own.at(-1)?.id ?? '', rows: own }
  })
}
