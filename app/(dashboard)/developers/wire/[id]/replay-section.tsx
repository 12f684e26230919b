import { Link } from '@/components/ui/link'
import { ExactTime } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import type { EventRow } from '@/lib/events/types'
import { canReplay, type NoReplay, type ReplayPlan } from '@/lib/sandbox/wire/replay'
import { EventStatus } from '../event-status'

interface Props {
  readonly plan: ReplayPlan | NoReplay
  /** Oldest first. */
  readonly replays: readonly EventRow[]
  /** Status of a replay whose event was not stored. */
  readonly unstored: string | undefined
}

/** Sends the call again, or explains why that is not possible, and lists earlier replays. */
export function ReplaySection({ plan, replays, unstored }: Props) {
  return (
    <section id="replay" aria-labelledby="replay-title" className="mt-8 scroll-mt-32">
      <h2 id="replay-title">Replay</h2>
      {canReplay(plan) ? <Offer plan={plan} /> : <p className="mt-2">{plan.reason}</p>}
      {unstored === undefined ? null : (
        <output className="mt-3 block">
          The replay was answered with {unstored}. Its event was not stored, because the server is busy.
        </output>
      )}
      {replays.length === 0 ? null : (
        <ul className="mt-4" aria-label="Replays of this call">
          {replays.map(({ id, recordedAt, status }) => (
            <li key={String(id)} className="line flex flex-wrap items-baseline gap-x-4 py-1.5">
              <Link className="row-link" href={`/developers/wire/${id}`}>
                Replay {String(id)}
              </Link>
              <ExactTime className="label" at={recordedAt} />
              <EventStatus status={status} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Offer({ plan: { eventId, effect } }: { readonly plan: ReplayPlan }) {
  return (
    <>
      <p className="my-2 text-muted">
        The server sends the call again as this connection. Expiry, revocation and permissions are checked as for the
        app. No token is needed.
      </p>
      {effect === 'reads' ? (
        <UserForm action="/sandbox/forms/replay">
          <input type="hidden" name="id" value={String(eventId)} />
          <button className="button">Replay call</button>
        </UserForm>
      ) : (
        <Link className="button" href={`/developers/wire/${eventId}/replay`}>
          Review replay
        </Link>
      )}
    </>
  )
}
