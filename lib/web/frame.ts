import { addressOf } from 'uma-auth-vasp'
import { SANDBOX_USERNAMES } from '../accounts/seed'
import { isPastTeamGate, sessionIdOfRequest, type CurrentUser } from '../accounts/sessions/current-user'
import type { SessionUser } from '../accounts/sessions/session-store'
import { TOUCH_DUE, touchUser } from '../accounts/users'
import type { Application } from '../backend/application'
import { freshConnectionsOf, type FreshConnection } from '../connections/queries'
import { eventReaderOf, newestEventIdOf } from '../events/queries'
import { statement } from '../platform/db/statement'
import { openRequestCountOf } from '../uma/open-requests'

/** What every page of a signed-in user shows around its content. */
export interface Frame {
  readonly user: CurrentUser
  /** A stream of events starts after it. Undefined without the sandbox tools: there is no stream. */
  readonly newestEventId: bigint | undefined
  /** Open requests for money. Undefined without UMA invoices: users have no requests. */
  readonly requests: number | undefined
  /** The notice about new connections; `createdAt` is text. */
  readonly connections: readonly NewConnection[]
  /** The users that sign in with the printed password. Empty where no password is printed. */
  readonly testUsers: readonly TestUser[]
}

export interface TestUser {
  readonly username: string
  readonly displayName: string
}

type NewConnection = Omit<FreshConnection, 'createdAt'> & { readonly createdAt: string }

interface Row extends Omit<SessionUser, 'currencyCodes'> {
  readonly touchDue: boolean
  readonly newestEventId: bigint | null
  readonly requests: bigint | null
  readonly connections: readonly NewConnection[]
  readonly testUsers: readonly TestUser[]
}

/**
 * All that the frame of a page reads, in one round trip. $2: whether the user also sees events without an owner, or null for no
 * event. $3: whether requests are counted. $4: the users to list.
 */
const FRAME = statement<Row>(
  'page_frame',
  `select u.id as username, u.display_name as "displayName", u.status <> 'active' as suspended, u.made_on_demand as temporary,
          u.time_zone as "timeZone",
          ${TOUCH_DUE} as "touchDue",
          case when $2::boolean is not null then ${newestEventIdOf('u.id', '$2')} end as "newestEventId",
          case when $3::boolean then (${openRequestCountOf('u.id')}) end as requests,
          (select coalesce(json_agg(fresh), '[]') from (${freshConnectionsOf('u.id')}) fresh) as connections,
          (select coalesce(json_agg(json_build_object('username', t.id, 'displayName', t.display_name) order by t.created_at, t.id), '[]')
           from users t where t.id = any ($4::text[]) and t.status = 'active') as "testUsers"
   from sessions s join users u on u.id = s.user_id
   where s.id = $1 and s.ended_at is null and s.expires_at > now()`,
)

/** The frame of a session, or that the session's user is suspended; null when the session has ended. */
export async function readFrame(app: Application, sessionId: string): Promise<Frame | 'suspended' | null> {
  const { db, settings, umaInvoices } = app
  const isPrinted = settings.printedPassword !== undefined && (await isPastTeamGate(app))
  const [row] = await db.query(FRAME, [
    sessionId,
    settings.sandboxTools ? eventReaderOf(settings, '').withUnowned : null,
    umaInvoices !== undefined,
    isPrinted ? SANDBOX_USERNAMES : [],
  ])
  if (row === undefined) return null
  const { username, displayName, temporary, timeZone = null, newestEventId, requests, connections, testUsers } = row
  if (row.touchDue) await touchUser(db, username)
  if (row.suspended) return 'suspended'
  return {
    user: { username, displayName, address: addressOf(username, settings.vaspDomain), sessionId, temporary, timeZone },
    newestEventId: newestEventId ?? undefined,
    requests: requests === null ? undefined : Number(requests),
    connections,
    testUsers,
  }
}

/** The frame for the browser's session cookie. */
export async function frameOfRequest(app: Application): Promise<Frame | 'suspended' | null> {
  const sessionId = await sessionIdOfRequest(app)
  return sessionId === undefined ? null : readFrame(app, sessionId)
}
