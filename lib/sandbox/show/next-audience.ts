import { connectShop } from '../../../sandbox/pairing/connect-shop'
import { makeVisitor, unreachedOrigin, type Send } from '../../../sandbox/pairing/visitor'
import { endSession, openSession, userOfSession } from '../../accounts/sessions/session-store'
import type { Application } from '../../backend/application'
import { protocol } from '../../backend/protocol'
import { answerConnect } from '../../connections/connect'
import { makeGuardedFetch } from '../../platform/net/guarded-fetch'
import { processSingletons, singleton } from '../../platform/process-singletons'
import { rootOf } from '../gateway-kit/gateway-server'
import { listDeskUsers, shopkeeperOf, type DeskUser } from '../users/sandbox-page'
import { resetUsers } from '../users/sandbox-users'
import { shopUrl } from './shop-places'

/**
 * `none`: this server knows no shop. `shop`, `gateway`: it did not answer. `refused`: one of them refused, and the log says why.
 * Only with `paired` the shop has forgotten its visitors.
 */
export const PAIRINGS = ['paired', 'none', 'shop', 'gateway', 'refused'] as const
export type Pairing = (typeof PAIRINGS)[number]

export interface Prepared {
  /** Counts of users. `pending`: not reset, because a payment is in progress. */
  readonly reset: number
  readonly pending: number
  readonly pairing: Pairing
}

const KEY = 'next-audience'
/** The shop calls the gateway while it answers, and the gateway calls this server. */
const TOTAL_MS = 20_000

/**
 * Resets the users of the desk, pairs the shop with its keeper's wallet, and makes the shop forget its visitors. No session of a browser
 * changes. Requests that arrive in the meantime share its result.
 */
export function prepareForNextAudience(app: Application): Promise<Prepared> {
  const singletons = processSingletons()
  const running = singletons.get(KEY) as Promise<Prepared> | undefined
  if (running !== undefined) return running
  const preparing = prepare(app).finally(() => singletons.delete(KEY))
  singletons.set(KEY, preparing)
  return preparing
}

async function prepare(app: Application): Promise<Prepared> {
  const users = await listDeskUsers(app)
  const usernames = users.map(({ username }) => username)
  const { reset, pending } = await resetUsers(app, usernames)
  return { reset, pending, pairing: await pairShop(app, shopkeeperOf(users)) }
}

/**
 * Takes the login of UMA Auth through the shop's and the gateway's own pages, with a session of the keeper that ends afterwards. The
 * shop therefore needs no secret in common with this server: it forgets its visitors when the login has succeeded.
 */
async function pairShop(app: Application, keeper: DeskUser | undefined): Promise<Pairing> {
  const shop = shopUrl(app.settings)
  if (shop === undefined) return 'none'
  if (keeper === undefined) return 'refused'
  const gateway = rootOf(app.settings)
  const [shopOrigin, gatewayOrigin] = [new URL(shop).origin, new URL(gateway).origin]
  const sessionId = app.ids.secret()
  if (!(await openSession(app.db, sessionId, keeper.username))) return 'refused'
  try {
    const visitor = makeVisitor(sendAs(app, sessionId, [shopOrigin, gatewayOrigin]))
    const places = { shopOrigin: shop, gatewayRoot: gateway, address: keeper.address }
    await connectShop(visitor, { ...places, forgetsVisitors: true })
    return 'paired'
  } catch (error) {
    app.log.warn({ error }, 'the shop was not paired')
    const away = unreachedOrigin(error)
    return away === shopOrigin ? 'shop' : away === gatewayOrigin ? 'gateway' : 'refused'
  } finally {
    await endSession(app.db, sessionId)
  }
}

/**
 * Sends requests to the configured shop and gateway only, wherever a redirect or a link leads. The login redirect of this server is
 * answered here, as to a browser that is signed in.
 */
function sendAs(app: Application, sessionId: string, origins: readonly string[]): Send {
  const fetchSite = singleton(`show fetch ${origins.join(' ')}`, () =>
    makeGuardedFetch({ localPeers: [], configuredOrigins: origins, totalMs: TOTAL_MS }),
  )
  const browser = {
    binding: app.ids.uuid(),
    async readSession() {
      const user = await userOfSession(app.db, sessionId)
      return user === undefined ? null : { sessionId, ...user }
    },
  }
  return async (url, { method, headers, body }) => {
    const { origin, pathname } = new URL(url)
    if (origin === app.settings.publicOrigin && pathname === '/connect') {
      const answer = await answerConnect(app, protocol(), { method, url }, browser)
      return {
        status: answer.status,
        location: answer.headers.get('location'),
        cookies: [],
        text: await answer.text(),
      }
    }
    if (!origins.includes(origin)) throw new Error('it is neither the shop nor the gateway, and was not asked')
    const form = body === undefined ? {} : { body }
    const request = { method, headers, ...form, acceptsRedirects: true, isIdempotent: false } as const
    const { status, text, headers: answered } = await fetchSite(url, request)
    return { status, text, location: answered?.location ?? null, cookies: answered?.cookies ?? [] }
  }
}
