import { Link } from '@/components/ui/link'
import { ExactTime } from '@/components/ui/time'
import { isPastTeamGate } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { listEventsOfPayment } from '@/lib/events/queries'
import { wordBeside } from '@/lib/sandbox/wire/kinds'
import { WORDS } from '@/lib/sandbox/wire/reference'

const MOST_LISTED = 20

interface Props {
  readonly username: string
  readonly paymentHash: string
}

/** The API call that caused a payment, and the messages and changes of state that followed, while their events are kept. */
export async function PaymentWire({ username, paymentHash }: Props) {
  const current = application()
  if (!current.settings.sandboxTools || !(await isPastTeamGate(current))) return null
  const events = await listEventsOfPayment(current, username, paymentHash, MOST_LISTED)
  return events.length === 0 ? null : (
    <section aria-labelledby="wire" className="mt-8">
      <h2 id="wire">In The Wire</h2>
      <ol className="mt-2">
        {events.map(({ id, kind, name, recordedAt }) => (
          <li key={String(id)} className="line flex flex-wrap items-baseline justify-between gap-x-4 py-1.5">
            <span className="min-w-0">
              <Link className="row-link" href={`/developers/wire/${id}`}>
                <code>{name}</code>
              </Link>{' '}
              <span className="label">{wordBeside({ kind, name }, WORDS)}</span>
            </span>
            <ExactTime className="label" at={recordedAt} />
          </li>
        ))}
      </ol>
    </section>
  )
}
