import { Instant } from './time'
import { ExpiresIn } from './expires-in'

/** The moment something expires, with a countdown where JavaScript runs. */
export function Expiry({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <>
      <Instant at={at} />
      <ExpiresIn secondsLeft={Math.ceil((at.getTime() - now.getTime()) / 1000)} />
    </>
  )
}
