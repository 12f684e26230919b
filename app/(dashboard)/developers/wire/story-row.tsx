import { memo } from 'react'
import { Link } from '@/components/ui/link'
import { LANE_NAMES, LANES, lanesInWords, lanesOf, type Lane } from '@/lib/events/lanes'
import type { LiveEvent } from '@/lib/events/live-event'
import { durationInWords, lineOf, stepsOf, storyKey } from '@/lib/events/story-line'
import type { Words } from '@/lib/sandbox/wire/kinds'
import { EventStatus } from './event-status'
import { At, EventText, inUtc } from './row'

const STEP =
  'grid grid-cols-[var(--time-column)_minmax(0,1fr)_auto] items-baseline gap-x-4 md:grid-cols-[var(--time-column)_var(--lanes-column)_minmax(0,1fr)_auto]'

interface StoryProps {
  /** At least two, newest first. */
  readonly rows: readonly LiveEvent[]
  readonly words: Words
  readonly receivers: Readonly<Record<string, string>>
  readonly isPart: boolean
  /** Whether the list has no other story. */
  readonly isWhole: boolean
}

/** The events of one payment or request: one line, which opens to its messages in the order in which they began. */
export const StoryRow = memo(
  function StoryRow({ rows, words, receivers, isPart, isWhole }: StoryProps) {
    const key = storyKey(rows)
    const { title, isPayment, call, figures } = lineOf(rows, receivers[key ?? ''])
    const [newest] = rows
    return (
      <details className="group" open={isWhole}>
        <summary className="event-row min-h-(--control) list-none content-center [&::-webkit-details-marker]:hidden">
          <At time={newest?.recordedAt ?? ''} />
          <span className="min-w-0 break-words">
            <span aria-hidden="true" className="inline-block text-muted group-open:rotate-90">
              ▸
            </span>{' '}
            {isPayment ? title : <code>{title}</code>} <span className="label">{`· ${figures}`}</span>
          </span>
          <EventStatus status={call?.status ?? null} />
        </summary>
        <LaneHeads />
        <ol aria-label="Events in order" className="mb-3">
          {stepsOf(rows).map(({ row, afterMs }) => (
            <li key={row.id} className={`max-md:py-1 ${STEP}`}>
              <time className="text-sm text-muted" dateTime={row.recordedAt} title={inUtc(row.recordedAt)}>
                +{durationInWords(afterMs)}
              </time>
              <div className="min-w-0 md:contents">
                <Lanes {...lanesOf(row)} words={lanesInWords(row)} />
                <EventText row={row} words={words} />
              </div>
              <EventStatus status={row.status} />
            </li>
          ))}
        </ol>
        {key === undefined || isWhole ? null : (
          <p className="actions mb-2">
            <Link className="tap" href={`/developers/wire?story=${key}`}>
              {isPayment ? 'This payment only' : 'This request only'}
            </Link>
            {isPart ? (
              <span className="label">It may have more events, on other pages or outside the filter.</span>
            ) : null}
          </p>
        )}
      </details>
    )
  },
  (before, after) =>
    before.isPart === after.isPart &&
    before.receivers === after.receivers &&
    before.rows.length === after.rows.length &&
    before.rows.every((row, index) => row === after.rows[index]),
)

/** The width of a lane, and the height of a row, in units of the drawing. */
const LANE = 60
const HEIGHT = 16
const middleOf = (lane: Lane): number => (LANES.indexOf(lane) + 0.5) * LANE

/** Names above the lanes. Each message names its own two, so a reader of the text does not need them. */
function LaneHeads() {
  return (
    <div aria-hidden="true" className={`mt-2 max-md:hidden! ${STEP}`}>
      <span className="label col-start-2 grid grid-cols-5 text-center">
        {LANES.map((lane) => (
          <span key={lane}>{LANE_NAMES[lane]}</span>
        ))}
      </span>
    </div>
  )
}

/** Who sent a message to whom: in words, and where there is room as an arrow between lanes. */
function Lanes({ from, to, words }: { readonly from: Lane; readonly to: Lane; readonly words: string }) {
  const [start, end, middle] = [middleOf(from), middleOf(to), HEIGHT / 2]
  const back = start < end ? -7 : 7
  return (
    <p className="label relative md:self-stretch md:pt-1 md:pb-2">
      <span aria-hidden="true" className="absolute inset-0 grid grid-cols-5 max-md:hidden">
        {LANES.map((lane) => (
          <span key={lane} className="mx-auto w-px bg-rule" />
        ))}
      </span>
      <svg
        aria-hidden="true"
        className="relative block w-full text-ink max-md:hidden"
        viewBox={`0 0 ${LANES.length * LANE} ${HEIGHT}`}
        fill="none"
        stroke="currentColor"
      >
        {from === to ? (
          <circle cx={start} cy={middle} r="4" fill="currentColor" />
        ) : (
          <path d={`M${start} ${middle}H${end}m${back} -4l${-back} 4l${back} 4`} strokeWidth="1.5" />
        )}
      </svg>
      <span className="relative md:bg-paper md:pr-1">{words}</span>
    </p>
  )
}
