import { insertLoginGrant } from '../connections/login-grants'
import type { Deps } from '../deps'
import { VaspError } from '../errors'
import { plainText, seeOther } from '../http/page-answers'
import { currencyOf, isCurrencyCode } from '../money/currencies'
import { addressOf } from '../users/address'
import { describeAsk, isExpiredAsk, readAsk, signAsk, type Ask } from './login-ask'
import { checkRedirectUri, originForLog, returnAddress } from './redirect-uri'
import type { SessionPerson } from './sessions'

type Session = ({ sessionId: string } & SessionPerson) | null

/**
 * `GET /connect` (specification, authorization flow 2 and 3): checks who asks, signs the person in if need be, and sends
 * the browser back with a login token and the default currency. Nothing is looked up, shown or minted before the
 * redirect_uri holds, and a token is minted only when it can be handed over.
 */
export async function answerConnect(
  deps: Deps,
  params: URLSearchParams,
  readSession: () => Promise<Session>,
  readBrowser: () => Promise<string>,
): Promise<Response> {
  const ask = await readRequest(deps, params, readBrowser)
  if (ask === null) return refuseRequest(deps, params)
  const session = await readSession()
  if (session === null) return seeOther(`/login?ask=${await signAsk(deps, ask.redirectUri)}`)
  if (session.suspended) {
    const { gatewayOrigin } = ask
    deps.boundedLog.info(
      { reason: 'suspended', asked: gatewayOrigin, gateway: gatewayOrigin, username: session.username },
      'login refused',
    )
    return plainText(403, 'This account is suspended, so it cannot be connected. Talk to your wallet operator.')
  }
  const isAnother = (params.get('as') ?? session.username) !== session.username
  if (isAnother || (!ask.chosen && (await asksForSomebodyElse(deps, ask, session.username)))) {
    return seeOther(`/login?ask=${await signAsk(deps, ask.redirectUri)}`)
  }
  await deps.limits.takeLoginRedirect(session.sessionId)
  return sendBack(deps, ask, session)
}

/** A request of ours that has only grown too old leads back to the sign-in page, which says so and what to do. */
async function refuseRequest(deps: Deps, params: URLSearchParams): Promise<Response> {
  const [ask, ...more] = params.getAll('ask')
  const ours = ask !== undefined && more.length === 0 && !params.has('redirect_uri')
  if (ours && (await isExpiredAsk(deps, ask))) return seeOther(`/login?ask=${ask}`)
  deps.boundedLog.info(
    {
      reason: 'redirect_uri',
      asked: originForLog(params.get('redirect_uri')),
      gateway: deps.settings.gatewayRootUrl.origin,
    },
    'login refused',
  )
  return plainText(400, 'Invalid redirect_uri')
}

/** Either the gateway's redirect_uri or our own signed request, exactly once. */
async function readRequest(
  deps: Deps,
  params: URLSearchParams,
  readBrowser: () => Promise<string>,
): Promise<Ask | null> {
  const [redirectUri, ...more] = params.getAll('redirect_uri')
  const [ask, ...moreAsks] = params.getAll('ask')
  if (more.length > 0 || moreAsks.length > 0) return null
  if (redirectUri === undefined) return readAsk(deps, ask, await readBrowser())
  const target = checkRedirectUri(redirectUri, deps.settings.gatewayRootUrl, deps.settings.vaspDomain)
  return target === undefined || ask !== undefined ? null : describeAsk(target, false)
}

/** True when the app names another person of this VASP: then the person at the screen chooses. */
async function asksForSomebodyElse(deps: Deps, ask: Ask, username: string): Promise<boolean> {
  if (ask.asksFor === null || ask.asksFor === username) return false
  return (await deps.db.prisma.user.count({ where: { id: ask.asksFor, status: 'active' } })) > 0
}

async function sendBack(deps: Deps, ask: Ask, session: NonNullable<Session>): Promise<Response> {
  const { username, sessionId } = session
  if (!deps.tokens.canSign) throw new VaspError(500, 'INTERNAL', 'JWT private key not configured')
  const currencyCode = session.currencyCodes.find(isCurrencyCode)
  if (currencyCode === undefined) throw new Error('a user without a wallet cannot be connected')
  const id = deps.ids.uuid()
  const { token, expiresAt } = await deps.tokens.issueLogin({
    id,
    username,
    address: addressOf(username, deps.settings.vaspDomain),
  })
  await insertLoginGrant(deps.db, { id, username, sessionId, appHost: ask.appHost, clientId: ask.clientId, expiresAt })
  deps.log.info({ username, loginGrant: id, gateway: ask.gatewayOrigin }, 'login token issued')
  return seeOther(returnAddress(new URL(ask.redirectUri), token, currencyOf(currencyCode)))
}
