import type { ShopDeps } from './deps'
import type { Outcome } from './nwc'
import type { Problem } from './problem'
import type { Connection, Role, Session } from './store'

const MAX_EARLY_SECONDS = 86_400
const CHECK_MS = 4_000
/** Records calls that no visitor requested; no page shows them. */
const NO_SESSION = 'shop'
const refreshing = new Map<string, Promise<Connection>>()

/** Whether the access should be renewed now: in the last tenth of its lifetime, at most a day before its end. */
function isDue(connection: Connection, nowSeconds: number): boolean {
  const grant = connection.grant
  if (grant === null || grant.refreshToken === null || grant.accessEndsAtSeconds === null) return false
  const life = grant.accessEndsAtSeconds - grant.accessStartsAtSeconds
  return nowSeconds >= grant.accessEndsAtSeconds - Math.min(life / 10, MAX_EARLY_SECONDS)
}

/** Concurrent refreshes share one request, because a refresh token can be used only once. @throws ShopError */
export function refresh(
  deps: ShopDeps,
  session: Session | undefined,
  role: Role,
  connection: Connection,
): Promise<Connection> {
  const { grant, id } = connection
  if (grant === null || grant.refreshToken === null) return Promise.resolve(connection)
  const running = refreshing.get(id)
  if (running !== undefined) return running
  const record = deps.callLog.recorder(session?.id ?? NO_SESSION)
  const renewed = deps.oauth
    .refresh(connection, grant, record)
    .then((after) => {
      // The user disconnected in the meantime, so the renewed connection is not stored.
      if (deps.store.connection(session, role)?.id === id) deps.store.setConnection(session, role, after)
      return after
    })
    .finally(() => refreshing.delete(id))
  refreshing.set(id, renewed)
  return renewed
}

/** Sends one command to a wallet, after renewing the access when that is due. */
export async function callWallet(
  deps: ShopDeps,
  session: Session | undefined,
  role: Role,
  request: { readonly method: string; readonly params: object },
  words: string,
  timeoutMs?: number,
): Promise<Outcome> {
  const connection = deps.store.connection(session, role)
  if (connection === null) return { problem: notConnected(role) }
  const target = await fresh(deps, session, role, connection)
  const record = deps.callLog.recorder(session?.id ?? NO_SESSION)
  const about = { command: request.method, connectionId: connection.id }
  return deps.nwc.call(target, request, (text) => record(words, 'relay', text, about), timeoutMs)
}

/** Whether the shop's own wallet answers, for the start of the demo. `problem` is null when it answers. */
export async function checkOwnWallet(deps: ShopDeps): Promise<{
  readonly connected: boolean
  readonly relay: string | null
  readonly problem: string | null
}> {
  const connection = deps.store.connection(undefined, 'merchant')
  if (connection === null) return { connected: false, relay: null, problem: null }
  const request = { method: 'get_info', params: {} }
  const outcome = await callWallet(deps, undefined, 'merchant', request, 'Check the shop’s own wallet', CHECK_MS)
  const problem = 'problem' in outcome ? outcome.problem.code : null
  return { connected: true, relay: connection.relay, problem }
}

/** A failed refresh does not stop the call while the previous access may still be valid: the call shows the result. */
async function fresh(
  deps: ShopDeps,
  session: Session | undefined,
  role: Role,
  connection: Connection,
): Promise<Connection> {
  if (!isDue(connection, deps.nowSeconds())) return connection
  return refresh(deps, session, role, connection).catch(() => connection)
}

/** Renews due access without waiting for a click. */
export async function refreshAllDue(deps: ShopDeps): Promise<void> {
  for (const { role, session, connection } of deps.store.connections())
    if (isDue(connection, deps.nowSeconds())) await refresh(deps, session, role, connection).catch(() => undefined)
}

const notConnected = (role: Role): Problem => ({
  code: 'NOT_CONNECTED',
  message: role === 'merchant' ? 'The shop has no wallet yet.' : 'No wallet is connected.',
  meaning: 'Nothing was sent.',
  side: 'shop',
  todo: 'Connect a wallet first.',
})
