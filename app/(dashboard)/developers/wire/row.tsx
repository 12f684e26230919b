import { memo } from 'react'
import type { LiveEvent } from '@/lib/events/live-event'
import { notesOf, wordBeside, type Words } from '@/lib/sandbox/wire/kinds'
import { EventStatus } from './event-status'

interface RowProps {
  readonly row: LiveEvent
  readonly words: Words
}

/** An event that is alone. */
export const Row = memo(function Row({ row, words }: RowProps) {
  return (
    <div className="event-row">
      <At time={row.recordedAt} />
      <EventText row={row} words={words} />
      <EventStatus status={row.status} />
      <span className="figures text-right text-sm text-muted max-md:hidden">
        {row.durationMs === null ? '' : `${row.durationMs.toFixed(1)} ms`}
      </span>
    </div>
  )
})

/** The time alone: the page names UTC. */
export function At({ time }: { readonly time: string }) {
  return (
    <time className="text-sm text-muted" dateTime={time} title={inUtc(time)}>
      {time.slice(11, 19)}
    </time>
  )
}

/** "2026-11-21 14:05:07 UTC" of a time in ISO 8601. */
export function inUtc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`
}

export function EventText({ row, words }: RowProps) {
  const { id, name, injected } = row
  const [beside, notes] = [wordBeside(row, words), notesOf(row)]
  return (
    <p className="min-w-0">
      <a className="row-link" href={`/developers/wire/${id}`}>
        <code>{name}</code>
      </a>{' '}
      {beside === undefined ? null : <span className="label whitespace-nowrap">{beside}</span>}
      {injected === null ? null : <span className="label block text-ochre">injected: {injected}</span>}
      {notes === '' ? null : <span className="label block break-words">{notes}</span>}
    </p>
  )
}
