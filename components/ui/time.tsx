import { dateAndTime, timeAgo } from '@/lib/ui/time'

/** A moment in words, with the exact time on the element. */
export function Moment({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <time dateTime={at.toISOString()} title={dateAndTime(at)}>
      {timeAgo(at, now)}
    </time>
  )
}

/** A moment as its date and time. */
export function Instant({ at }: { readonly at: Date }) {
  return <time dateTime={at.toISOString()}>{dateAndTime(at)}</time>
}
