import { pageZone } from '@/components/page-zone'
import { dateAndTime, timeAgo, toTheSecond } from '@/lib/web/time'
import { ExpiresIn } from './expires-in'

/** A moment relative to now, with the exact time in UTC on the element. */
export function Moment({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <time dateTime={at.toISOString()} title={dateAndTime(at)}>
      {timeAgo(at, now)}
    </time>
  )
}

/** A moment as its date and time in the zone of the page, with UTC on the element. */
export function Instant({ at }: { readonly at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={dateAndTime(at)}>
      {dateAndTime(at, pageZone())}
    </time>
  )
}

/** A moment to the second, in UTC as in the log. */
export function ExactTime({ at, className }: { readonly at: Date; readonly className?: string }) {
  return (
    <time className={className} dateTime={at.toISOString()}>
      {toTheSecond(at)}
    </time>
  )
}

/** The moment something expires, with a countdown where JavaScript runs. */
export function Expiry({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <>
      <Instant at={at} />
      <ExpiresIn secondsLeft={Math.ceil((at.getTime() - now.getTime()) / 1000)} />
    </>
  )
}
