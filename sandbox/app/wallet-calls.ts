import type { ShopDeps } from './connections'
import type { Outcome } from './nwc'
import type { Problem } from './problem'
import type { Connection, Role, Session } from './store'

const MOST_EARLY_SECONDS = 86_400
const refreshing = new Map<string, Promise<Connection>>()

/** Whether the access should be renewed now: in the last tenth of its life, at most a day before its end. */
function isDue(connection: Connection, nowSeconds: number): boolean {
  const grant = connection.grant
  if (grant === null || grant.refreshToken === null || grant.accessEndsAtSeconds === null) return false
  const life = grant.accessEndsAtSeconds - grant.accessStartsAtSeconds
  return nowSeconds >= grant.accessEndsAtSeconds - Math.min(life / 10, MOST_EARLY_SECONDS)
}

/** Two refreshes at once would use one refresh token twice: they share one. @throws ShopError */
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
  const record = deps.journal.recorder(session?.id ?? 'shop')
  const renewed = deps.oauth
    .refresh(connection, grant, record)
    .then((after) => {
      // Disconnected meanwhile: what was renewed is not brought back.
      if (deps.store.connection(session, role)?.id === id) deps.store.setConnection(session, role, after)
      return after
    })
    .finally(() => refreshing.delete(id))
  refreshing.set(id, renewed)
  return renewed
}

/** One command to a wallet, with the access renewed first when that is due. */
export async function callWallet(
  deps: ShopDeps,
  session: Session,
  role: Role,
  request: { readonly method: string; readonly params: object },
  words: string,
): Promise<Outcome> {
  const connection = deps.store.connection(session, role)
  if (connection === null) return { problem: notConnected(role) }
  const target = await fresh(deps, session, role, connection)
  const record = deps.journal.recorder(session.id)
  return deps.nwc.call(target, request, (text) =>
    record(words, 'relay', text, { command: request.method, connectionId: connection.id }),
  )
}

/** A refresh that fails is no reason to stop while the access before it is still good: the call itself will tell. */
async function fresh(deps: ShopDeps, session: Session, role: Role, connection: Connection): Promise<Connection> {
  if (!isDue(connection, deps.nowSeconds())) return connection
  return refresh(deps, session, role, connection).catch(() => connection)
}

/** Renews what is due without waiting for a click. */
export async function refreshAllDue(deps: ShopDeps): Promise<void> {
  for (const { role, session, connection } of deps.store.connections())
    if (isDue(connection, deps.nowSeconds())) await refresh(deps, session, role, connection).catch(() => undefined)
}

const notConnected = (role: Role): Problem => ({
  code: 'NOT_CONNECTED',
  message: role === 'merchant' ? 'The shop has no wallet yet.' : 'No wallet is connected.',
  meaning: 'There is nobody to ask. Nothing was sent.',
  side: 'shop',
  todo: 'Connect a wallet first.',
})
