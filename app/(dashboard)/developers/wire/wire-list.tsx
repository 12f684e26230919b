'use client'

import { memo, useRef, useState } from 'react'
import { useLiveEvents } from '@/components/live-events'
import type { LiveEvent } from '@/lib/events/live-event'
import { KIND_NAMES } from '@/lib/sandbox/wire/kinds'
import { matchesFilter, MOST_ROWS, withNewRows, type WireFilter } from '@/lib/sandbox/wire/rows'
import { dateAndTime, timeToTheSecond } from '@/lib/web/time'
import { EventStatus } from './event-status'

/** New rows are added in small groups: a thousand at once, for example after a pause, would block a slow browser for half a second. */
const MAX_ROWS_PER_FRAME = 25
/** More rows are drawn only inside the window, so that a thousand scroll smoothly. Fewer are drawn whole, for a picture of the page. */
const MOST_DRAWN = 200

interface Props {
  /** Newest first. */
  readonly initial: readonly LiveEvent[]
  readonly filter: WireFilter
  /** Command by route. */
  readonly commands: Readonly<Record<string, string>>
  /** False for a page of older events. */
  readonly isLive: boolean
}

/** The events of the page. New events are added at the top as they happen. */
export function WireList({ initial, filter, commands, isLive }: Props) {
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
    setRows((before) => withNewRows(before, events))
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
          {rows.map((row) => (
            <Row key={row.id} row={row} command={commands[row.name]} isLazy={rows.length > MOST_DRAWN} />
          ))}
        </ol>
      )}
    </section>
  )
}

interface RowProps {
  readonly row: LiveEvent
  readonly command: string | undefined
  /** The browser skips the layout of the row while it is outside the window. */
  readonly isLazy: boolean
}

const Row = memo(function Row({ row, command, isLazy }: RowProps) {
  const { id, kind, name, status, durationMs, failedCheck, summary, injected, replayOf } = row
  const at = new Date(row.recordedAt)
  const notes = [
    failedCheck === null ? '' : `failed check: ${failedCheck}`,
    summary,
    replayOf === null ? '' : `replay of ${replayOf}`,
  ].filter(Boolean)
  return (
    <li
      className={`line grid grid-cols-[4.5rem_minmax(0,1fr)_auto] items-baseline gap-x-4 py-1.5 md:grid-cols-[4.5rem_minmax(0,1fr)_5rem_5rem] ${isLazy ? '[contain-intrinsic-size:auto_3rem] [content-visibility:auto]' : ''}`}
    >
      <time className="text-sm text-muted" dateTime={row.recordedAt} title={dateAndTime(at)}>
        {timeToTheSecond(at)}
      </time>
      <p className="min-w-0">
        <a className="row-link" href={`/developers/wire/${id}`}>
          <code>{name}</code>
        </a>{' '}
        <span className="label whitespace-nowrap">{command ?? KIND_NAMES[kind]}</span>
        {injected === null ? null : <span className="label block text-ochre">injected: {injected}</span>}
        {notes.length === 0 ? null : <span className="label block break-words">{notes.join('. ')}</span>}
      </p>
      <EventStatus status={status} />
      <span className="figures text-right text-sm text-muted max-md:hidden">
        {durationMs === null ? '' : `${durationMs.toFixed(1)} ms`}
      </span>
    </li>
  )
})
