'use client'

import { lazy, startTransition, useMemo, useRef, useState } from 'react'
import { useLiveEvents } from '@/components/live-events'
import type { LiveEvent } from '@/lib/events/live-event'
import { storiesOf } from '@/lib/events/stories'
import type { Words } from '@/lib/sandbox/wire/kinds'
import { matchesFilter, MOST_ROWS, withNewRows, type WireFilter } from '@/lib/sandbox/wire/rows'
import { Row } from './row'

/** New rows are added in small groups: a thousand at once, for example after a pause, would block a slow browser for half a second. */
const MAX_ROWS_PER_FRAME = 25
/** More events are drawn only inside the window, so that a thousand scroll smoothly. Fewer are drawn whole, for a picture of the page. */
const MOST_DRAWN = 200

/** Loaded with the first story, which a list of single calls does not have. Live rows keep the list while it loads. */
const StoryRow = lazy(async () => ({ default: (await import('./story-row')).StoryRow }))

interface Props {
  /** Newest first. */
  readonly initial: readonly LiveEvent[]
  readonly filter: WireFilter
  readonly words: Words
  /** The paid address by payment hash, for the payments of `initial`. */
  readonly receivers: Readonly<Record<string, string>>
  /** Whether events of other pages, or outside the filter, may belong to a story of this page. */
  readonly isPart: boolean
  /** Whether the list is filtered to one story. */
  readonly isWhole: boolean
  /** False for a page of older events. */
  readonly isLive: boolean
}

/** The events of the page, those of one payment or request as one row. New events are added as they happen. */
export function WireList({ initial, filter, isLive, ...story }: Props) {
  const [rows, setRows] = useState(initial)
  const [waitingCount, setWaitingCount] = useState<number>()
  const arrived = useRef<LiveEvent[]>([])
  const paused = useRef(false)
  const frame = useRef<number>(undefined)

  function show() {
    frame.current = undefined
    if (paused.current) {
      setWaitingCount(arrived.current.length)
      return
    }
    const events = arrived.current.splice(0, MAX_ROWS_PER_FRAME)
    setWaitingCount(undefined)
    startTransition(() => setRows((before) => withNewRows(before, events)))
    if (arrived.current.length > 0) showSoon()
  }
  // The list is rendered at most once per frame, with few new rows, however many events arrive.
  function showSoon() {
    frame.current ??= requestAnimationFrame(show)
  }
  const hasStream = useLiveEvents((event) => {
    if (!isLive || !matchesFilter(event, filter)) return
    arrived.current.push(event)
    if (arrived.current.length > MOST_ROWS) arrived.current.shift()
    showSoon()
  })
  const stories = useMemo(() => storiesOf(rows), [rows])
  const isPaused = waitingCount !== undefined
  function togglePause() {
    paused.current = !isPaused
    showSoon()
  }

  return (
    <section aria-label="Events" className="mt-6">
      {hasStream && isLive ? (
        <p className="actions mb-2 noscript:hidden">
          <button type="button" className="button" aria-pressed={isPaused} onClick={togglePause}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <output className="label">
            {isPaused ? `Paused. ${waitingCount} new.` : 'New events appear automatically.'}
          </output>
        </p>
      ) : null}
      {rows.length === 0 ? (
        <p className="line py-8 font-serif text-lg">No event matches.</p>
      ) : (
        <ol>
          {stories.map(({ id, rows: [row], rows: own }) => (
            <li key={id} className={`line py-1.5 ${rows.length > MOST_DRAWN ? 'drawn-late' : ''}`}>
              {own.length > 1 || row === undefined ? (
                <StoryRow rows={own} {...story} />
              ) : (
                <Row row={row} words={story.words} />
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
