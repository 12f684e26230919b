import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { revokeUnusedLink, UNUSED_HOURS, UNUSED_PERIODS, type UnusedHours } from '@/lib/web/connection-links'
import { Confirmation } from './confirmation'

export function RevokeTodayConfirmation() {
  return (
    <Confirmation
      title="Revoke all connections from the last 24 hours?"
      text="These apps lose access on their next call, and sign-ins from the last 24 hours can create no new connections. You cannot undo this, but apps can ask again."
    >
      <UserForm action="/connections/revoke-today">
        <button className="button button-danger">Revoke all from the last 24 hours</button>
      </UserForm>
      <Cancel />
    </Confirmation>
  )
}

interface UnusedProps {
  readonly hours: UnusedHours
  /** How many active connections have been unused for this long. */
  readonly count: number
}

/** Says how many connections end, before they do. Another period is another link, so that no script is needed. */
export function RevokeUnusedConfirmation({ hours, count }: UnusedProps) {
  const period = UNUSED_PERIODS[hours]
  const many = count === 1 ? '1 unused connection' : `${count.toLocaleString('en-GB')} unused connections`
  return (
    <Confirmation
      title={count === 0 ? `No connection has been unused for ${period}.` : `Revoke ${many}?`}
      text={`A connection is unused if it was created more than ${period} ago and has made no call in the last ${period}.${
        count === 0 ? '' : ' These apps lose access on their next call. You cannot undo this, but apps can ask again.'
      }`}
    >
      <nav aria-label="Unused for" className="flex basis-full flex-wrap gap-x-6">
        <span className="tap">Unused for</span>
        {UNUSED_HOURS.map((each) => (
          <a
            key={each}
            className="tap"
            href={revokeUnusedLink(each)}
            aria-current={each === hours ? 'page' : undefined}
          >
            {UNUSED_PERIODS[each]}
          </a>
        ))}
      </nav>
      {count === 0 ? null : (
        <UserForm action="/connections/revoke-unused">
          <input type="hidden" name="hours" value={hours} />
          <button className="button button-danger">Revoke {many}</button>
        </UserForm>
      )}
      <Cancel />
    </Confirmation>
  )
}

function Cancel() {
  return (
    <Link className="button" href="/connections">
      Cancel
    </Link>
  )
}
