import { dateAndTime } from '@/lib/look/time'
import { ExpiresIn } from './expires-in'

/** The moment something expires, with a countdown where JavaScript runs. */
export function Expiry({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <>
      <time dateTime={at.toISOString()}>{dateAndTime(at)}</time>
      <ExpiresIn secondsLeft={Math.ceil((at.getTime() - now.getTime()) / 1000)} />
    </>
  )
}
