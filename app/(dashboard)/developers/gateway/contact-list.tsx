import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { CONTACT_STEPS, type ContactStep, type LastOutcomes } from '@/lib/events/queries'
import type { EventRow } from '@/lib/events/types'
import { toTheSecond } from '@/lib/web/time'

const STEPS: Readonly<Record<ContactStep, { readonly title: string; readonly waits: string }>> = {
  discovery: {
    title: 'Discovery read',
    waits: 'Only apps read /.well-known/uma-configuration. The public gateway does not, so nothing is wrong.',
  },
  login: { title: 'Login redirect', waits: 'The gateway sends a browser to the login URL.' },
  token_exchange: { title: 'Token exchange', waits: 'The gateway exchanges a login token for a connection.' },
  info: { title: 'GET /info', waits: 'The gateway reads the user’s address and currencies.' },
  payment: { title: 'Payment', waits: 'An app pays through the gateway.' },
  unknown_path: { title: 'Unknown path', waits: '' },
}

interface Props {
  readonly contact: Readonly<Record<ContactStep, LastOutcomes>>
  readonly now: Date
  /** On a shared sandbox, events that belong to no user are not shown. */
  readonly hidesUnowned: boolean
}

/** What this server has received from the gateway: the last success of each step, and any later refusal. */
export function ContactList({ contact, now, hidesUnowned }: Props) {
  return (
    <section aria-labelledby="seen">
      <h2 id="seen">Gateway seen</h2>
      <ol className="mt-4" aria-live="polite">
        {CONTACT_STEPS.filter((step) => step !== 'unknown_path' || contact[step].failure !== undefined).map((step) => (
          <li key={step} className="line py-2" data-live={liveState(step, contact[step])}>
            <p className="font-semibold">{STEPS[step].title}</p>
            <Outcomes outcomes={contact[step]} waits={STEPS[step].waits} now={now} />
          </li>
        ))}
      </ol>
      <p className="line label pt-2">
        {hidesUnowned ? (
          <>
            Shows only your own events. Discovery reads, refused logins and calls to unknown paths belong to no user, so
            a shared sandbox lists them on the <Link href="/sandbox#events">sandbox desk</Link>.
          </>
        ) : (
          'Shows the last 24 hours. Events of other users are not shown.'
        )}
      </p>
    </section>
  )
}

/** Changes with each event that the row shows. */
function liveState(step: ContactStep, { success, failure }: LastOutcomes): string {
  return `${step} ${success?.id ?? ''} ${failure?.id ?? ''}`
}

function Outcomes({
  outcomes: { success, failure },
  waits,
  now,
}: {
  readonly outcomes: LastOutcomes
  readonly waits: string
  readonly now: Date
}) {
  const refused = failure !== undefined && (success === undefined || failure.id > success.id) ? failure : undefined
  if (success === undefined && refused === undefined) return <p className="text-muted">… Not seen yet. {waits}</p>
  return (
    <>
      {refused === undefined ? null : (
        <p>
          <span className="text-red">× Refused</span> <At event={refused} now={now} />
          {refused.status === null ? '' : `, status ${refused.status}`}
          {refused.summary === '' ? '' : `: ${refused.summary}`}
          {refused.failedCheck === null ? null : (
            <>
              {' '}
              (check: <code>{refused.failedCheck}</code>)
            </>
          )}{' '}
          <Link href={`/developers/wire/${refused.id}`}>Show the details</Link>
        </p>
      )}
      {success === undefined ? null : (
        <p>
          <span className="text-green">✓ Seen</span> <At event={success} now={now} />
          {success.status === null ? '' : `, status ${success.status}`}
          {success.summary === '' ? '' : `: ${success.summary}`}
        </p>
      )}
    </>
  )
}

function At({ event: { recordedAt }, now }: { readonly event: EventRow; readonly now: Date }) {
  return (
    <>
      {toTheSecond(recordedAt)} (<Moment at={recordedAt} now={now} />)
    </>
  )
}
