import type { UmaAuthVasp } from 'uma-auth-vasp'
import { findStoredClaims } from '../../connections/queries'
import { findReplay } from '../../events/queries'
import type { EventRecorder } from '../../events/recorder'
import { setBounded } from '../../platform/concurrency/bounded-map'
import type { Database } from '../../platform/db/database'
import { singleton } from '../../platform/process-singletons'
import type { ReplayPlan } from './replay'

interface ReplayPorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'flush'>
}

export interface ReplayOutcome {
  readonly status: number
  /** Undefined when the event was dropped: the queue was full, or the database did not store it. */
  readonly eventId: bigint | undefined
}

/** Maximum number of kept outcomes. A repeated submission of the same form receives the kept outcome. */
const MAX_REPEATABLE = 1_000

/**
 * Sends a stored call again as its connection, in process: no token is created. The protocol package checks expiry, revocation,
 * scope and input, in the same code as for every call.
 * @param requestId identifies one press of the button. The second click of a double click returns the outcome of the first, and sends
 * nothing. On another instance it sends the call again, but a payment with the same request id is paid only once. The original
 * call's Idempotency-Key is not sent, because the replay would then only return the first answer.
 * @returns undefined when the user has no such connection.
 */
export async function replayCall(
  ports: ReplayPorts,
  vasp: Pick<UmaAuthVasp, 'replay'>,
  username: string,
  plan: ReplayPlan,
  requestId: string,
): Promise<ReplayOutcome | undefined> {
  const outcomes = singleton('replays', () => new Map<string, Promise<ReplayOutcome | undefined>>())
  const key = `${username} ${plan.eventId} ${requestId}`
  const earlier = outcomes.get(key)
  if (earlier !== undefined) return earlier
  const outcome = sendAgain(ports, vasp, username, plan, requestId)
  setBounded(outcomes, key, outcome, MAX_REPEATABLE)
  // After an error or a refusal, the next submission tries again. After a 5xx it does not: a payment may be in progress.
  outcome.then(
    (done) => (done === undefined || (done.status >= 400 && done.status < 500)) && outcomes.delete(key),
    () => outcomes.delete(key),
  )
  return outcome
}

async function sendAgain(
  { db, events }: ReplayPorts,
  vasp: Pick<UmaAuthVasp, 'replay'>,
  username: string,
  { eventId, connectionId, command, url, body }: ReplayPlan,
  requestId: string,
): Promise<ReplayOutcome | undefined> {
  const claims = await findStoredClaims(db, username, connectionId)
  if (claims === undefined) return undefined
  const request = {
    method: command.method,
    url,
    headers: new Headers({ 'Idempotency-Key': `replay-${requestId}` }),
    body: body === undefined ? null : bytesOf(body),
  }
  const { status, headers } = await vasp.replay(request, { claims, of: String(eventId) })
  await events.flush()
  const named = { replayOf: eventId, requestId: headers['X-Request-Id'] ?? '' }
  return { status, eventId: await findReplay({ db }, username, named) }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
