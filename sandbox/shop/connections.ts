import { randomUUID } from 'node:crypto'
import type { ShopDeps } from './deps'
import { discover } from './discovery'
import { parsePairingUri } from './pairing-uri'
import type { PermissionRequest } from './permission-request'
import { reasonOf, ShopError, type Problem } from './problem'
import type { Grant, PendingAuthorization, Role, Session } from './store'
import { parseUmaAddress } from './uma-address'

/**
 * First step: reads the address and its discovery document, and prepares the request that the browser takes to the
 * gateway. @throws ShopError
 */
export async function beginAuthorization(
  deps: ShopDeps,
  session: Session,
  role: Role,
  raw: string,
  permissions: PermissionRequest,
): Promise<void> {
  const address = parseUmaAddress(raw)
  if (address === undefined) throw new ShopError(badAddress(raw))
  const record = deps.callLog.recorder(session.id)
  const server = await discover(address, record, deps.ownDomain)
  const pending = await deps.oauth.ask(role, address, server, permissions)
  session.asking = { ...pending, problem: await tryGateway(pending) }
  deps.store.save()
}

/**
 * Finds a failing gateway before the browser leaves our pages. With a `ws://` relay, the shop tries the request itself: a
 * public gateway answers 500 immediately, because it accepts `wss://` relays only. The simulator accepts both.
 */
async function tryGateway({ url, server }: PendingAuthorization): Promise<Problem | undefined> {
  const { host, searchParams } = new URL(url)
  // In a client id, the relay comes after the app's key.
  const relay = searchParams.get('client_id')?.split(' ')[1] ?? ''
  const isPlain = relay.startsWith('ws://')
  try {
    const request = { redirect: 'manual', signal: AbortSignal.timeout(3_000) } as const
    const { status } = await fetch(isPlain ? url : server.authorization_endpoint, request)
    return isPlain && status === 500 ? relayRefused(host, relay) : undefined
  } catch (error) {
    return gatewayDown(host, reasonOf(error))
  }
}

/** What happens once the connection exists. */
export function afterwards(
  { store }: Pick<ShopDeps, 'store'>,
  session: Session,
  then: Pick<PendingAuthorization, 'returnsTo' | 'forgetsVisitors'>,
): void {
  if (session.asking === null) return
  session.asking = { ...session.asking, ...then }
  store.save()
}

/**
 * Second step, when the browser returns. Deletes the request unless a retry can succeed. Revokes a connection that is
 * replaced. @throws ShopError
 */
export async function finishAuthorization(
  deps: ShopDeps,
  session: Session,
  pending: PendingAuthorization,
  url: URL,
): Promise<{ readonly role: Role; readonly notRevoked?: Problem | undefined }> {
  try {
    const connection = await deps.oauth.finish(pending, url, deps.callLog.recorder(session.id))
    session.asking = null
    const { grant: former } = deps.store.connection(session, pending.role) ?? { grant: null }
    deps.store.setConnection(session, pending.role, connection)
    const notRevoked = former === null ? undefined : await revoke(deps, session, former)
    if (mayForgetVisitors(deps, pending)) deps.store.forgetVisitors()
    return { role: pending.role, notRevoked }
  } catch (error) {
    const again = error instanceof ShopError && ['GATEWAY_DOWN', 'WRONG_STATE'].includes(error.problem.code)
    if (!again) session.asking = null
    deps.store.save()
    throw error
  }
}

/**
 * Only a user of the VASP that the shop runs in front of makes it forget its visitors, by a login there: another VASP may have any
 * user, and the form can be sent by anyone.
 */
function mayForgetVisitors({ ownDomain }: ShopDeps, { role, address, forgetsVisitors }: PendingAuthorization): boolean {
  return forgetsVisitors === true && role === 'merchant' && address.split('@')[1] === ownDomain
}

/** Connects by a pairing URI instead of the login. @throws ShopError */
export function pairBy(deps: ShopDeps, session: Session, role: Role, raw: string): void {
  try {
    const { address, ...pairing } = parsePairingUri(raw, deps.ownRelay)
    deps.store.setConnection(session, role, {
      id: randomUUID(),
      address: address ?? null,
      ...pairing,
      grant: null,
    })
  } catch (error) {
    throw new ShopError({
      code: 'BAD_PAIRING_URI',
      message: reasonOf(error),
      meaning: 'This is not a pairing URI. Nothing was sent.',
      side: 'shop',
      todo: 'Copy the whole URI from the gateway again. The gateway shows it only once.',
    })
  }
}

/** Revokes the connection at the gateway, then deletes it, even when the gateway cannot be reached. */
export async function disconnect(deps: ShopDeps, session: Session, role: Role): Promise<Problem | undefined> {
  const connection = deps.store.connection(session, role)
  if (connection === null) return undefined
  deps.store.setConnection(session, role, null)
  if (connection.grant === null) return undefined
  return revoke(deps, session, connection.grant)
}

/** Revokes the grant at the gateway. Returns the problem when that fails. */
async function revoke(deps: ShopDeps, session: Session, grant: Grant): Promise<Problem | undefined> {
  try {
    await deps.oauth.revoke(grant, deps.callLog.recorder(session.id))
    return undefined
  } catch (error) {
    return error instanceof ShopError ? error.problem : undefined
  }
}

const gatewayDown = (host: string, reason: string): Problem => ({
  code: 'GATEWAY_DOWN',
  message: `${host} did not answer: ${reason}.`,
  meaning: 'The gateway is not running. The next page would not load.',
  side: 'gateway',
  todo: 'Start the gateway, then continue.',
})

const relayRefused = (host: string, relay: string): Problem => ({
  code: 'RELAY_REFUSED',
  message: `${host} answered this request with status 500.`,
  meaning: `A public gateway looks apps up on wss:// relays only, and this shop is registered on ${relay}.`,
  side: 'shop',
  todo: 'Create a manual connection at the gateway and paste its pairing URI into this shop.',
})

const badAddress = (raw: string): Problem => ({
  code: 'BAD_ADDRESS',
  message: `“${raw.slice(0, 80)}” is not a UMA address.`,
  meaning: 'An address looks like $alice@localhost:3000: a name, an @, and a domain name.',
  side: 'shop',
  todo: 'Check the address. Nothing was sent.',
})
