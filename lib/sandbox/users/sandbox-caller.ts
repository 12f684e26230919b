import { isPastTeamGate, sessionOfRequest } from '../../accounts/sessions/current-user'
import { secretHash } from '../../accounts/sign-in/passwords'
import { tryTeamPassword } from '../../accounts/sign-in/team-gate'
import type { AccountPorts } from '../../accounts/types'
import { TOUCH_DUE, touchUser } from '../../accounts/users'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { CLIENT_ADDRESS_HEADER } from '../../platform/http/networks'

/** The request header that carries a user's manage token. `Authorization` carries the team password. */
export const MANAGE_TOKEN_HEADER = 'x-manage-token'

const USER_OF_TOKEN = statement<{ username: string; touch_due: boolean }>(
  'user_of_manage_token',
  `select u.id as username, ${TOUCH_DUE} as touch_due from users u where u.manage_token_hash = $1 and u.status = 'active'`,
)

type CallerPorts = Pick<AccountPorts, 'db' | 'settings'>

/**
 * The active user for whom a request below `/sandbox/` acts: the user of the manage token in `X-Manage-Token`, or else of
 * the session cookie. Undefined without either. A wrong manage token never falls back to the session, so that a test
 * with a wrong token never acts for another user.
 */
export async function sandboxCaller(
  ports: CallerPorts,
  request: Pick<Request, 'headers'>,
): Promise<string | undefined> {
  const token = request.headers.get(MANAGE_TOKEN_HEADER)
  if (token !== null) return userOfManageToken(ports.db, token)
  const session = await sessionOfRequest(ports)
  return session === null || session.suspended ? undefined : session.username
}

async function userOfManageToken(db: Database, token: string): Promise<string | undefined> {
  const [row] = await db.query(USER_OF_TOKEN, [secretHash(token)])
  if (row?.touch_due === true) await touchUser(db, row.username)
  return row?.username
}

/**
 * Whether a request may use the sandbox tools: its browser has passed the team gate, or it carries the team password as
 * `Authorization: Bearer`. Returns the seconds to wait after too many wrong passwords.
 */
export async function isTeamRequest(ports: CallerPorts, request: Pick<Request, 'headers'>): Promise<number | boolean> {
  if (await isPastTeamGate(ports)) return true
  const [, password] = /^Bearer +([^ ].*)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return password === undefined
    ? false
    : tryTeamPassword(ports, password, request.headers.get(CLIENT_ADDRESS_HEADER) ?? '')
}
