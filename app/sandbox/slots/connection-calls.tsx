import { Link } from '@/components/ui/link'
import { ExactTime } from '@/components/ui/time'
import { isPastTeamGate } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { isFailed } from '@/lib/events/live-event'
import { codeOf, listCallsOfConnection, type CallOfConnection } from '@/lib/events/queries'
import { wireAddress } from '@/lib/sandbox/wire/filter'

/** How many of the newest calls are read for the counts of errors, and how many of them are listed. */
const READ = 100
const LISTED = 10

interface Props {
  readonly username: string
  readonly connectionId: string
}

/** The newest calls of a connection, and their errors by code, while their events are kept. */
export async function ConnectionCalls({ username, connectionId }: Props) {
  const current = application()
  if (!current.settings.sandboxTools || !(await isPastTeamGate(current))) return null
  const calls = await listCallsOfConnection(current, username, connectionId, READ)
  const errors = errorsByCode(calls)
  return (
    <section aria-labelledby="last-calls" className="mt-8">
      <h2 id="last-calls">
        Last calls <span className="label text-ochre">Sandbox</span>
      </h2>
      {calls.length === 0 ? <p className="mt-2 text-muted">No call of this app is recorded.</p> : null}
      {errors.length === 0 ? null : (
        <p className="mt-2">
          Errors in the last {calls.length === 1 ? 'call' : `${calls.length} calls`}:{' '}
          {errors.map(([code, count], index) => (
            <span key={code}>
              {index === 0 ? '' : ', '}
              <Link className="row-link" href={wireAddress({ connection: connectionId, status: 'failed' })}>
                <code>{code}</code>
              </Link>{' '}
              <span className="figures">{count}×</span>
            </span>
          ))}
        </p>
      )}
      <ol className="mt-2">
        {calls.slice(0, LISTED).map((call) => (
          <li
            key={String(call.id)}
            className="line flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
            data-live={String(call.id)}
          >
            <span className="min-w-0">
              <Link className="row-link" href={`/developers/wire/${call.id}`}>
                <code>{call.name}</code>
              </Link>{' '}
              <span className={isFailed(call) ? 'text-sm text-red' : 'label'}>
                {call.status ?? 'closed'} {codeOf(call.summary)}
              </span>
            </span>
            <ExactTime className="label" at={call.recordedAt} />
          </li>
        ))}
      </ol>
      {calls.length > LISTED ? (
        <Link className="tap" href={wireAddress({ connection: connectionId })}>
          All calls
        </Link>
      ) : null}
    </section>
  )
}

/** Most frequent first. A failure without a code counts under its status. */
function errorsByCode(calls: readonly CallOfConnection[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const { status, summary } of calls.filter(isFailed)) {
    const code = codeOf(summary) ?? String(status ?? 'closed')
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)
}
