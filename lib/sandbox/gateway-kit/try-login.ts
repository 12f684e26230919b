import { addressOf, type UmaAuthVasp } from 'uma-auth-vasp'
import { z } from 'zod'
import { issuedLogin, type IssuedLogin } from '../../connections/issued-login'
import { closeLoginGrant } from '../../connections/login-grants'
import { DOCTOR_LOGIN, findEvent, listEvents } from '../../events/queries'
import type { EventRecorder } from '../../events/recorder'
import type { Clock } from '../../platform/clock'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import type { Ids } from '../../platform/ids'
import { askGateway, loginUrlOfPage, rootOf } from './gateway-server'

/** Where the gateway's own site asks for a login to return to. */
const CALLBACK = '/auth/vasp_token_callback'

/**
 * `accepted`: the gateway signed the user in. `refused`: it did not accept the token. `elsewhere`: it sent the browser to another
 * address than its root. `no callback`: a gateway without the address of the callback. `not a gateway`: neither its page nor its
 * answer is that of a gateway. `no answer`: no complete answer. `not issued`: this server issued no token.
 */
const OUTCOMES = [
  'accepted',
  'refused',
  'elsewhere',
  'no callback',
  'not a gateway',
  'no answer',
  'not issued',
] as const

/** The stored result of a tried login. It contains neither the token nor an address with it. */
const Trial = z.object({
  outcome: z.enum(OUTCOMES),
  /** GATEWAY_ROOT_URL at that time. */
  root: z.string(),
  status: z.number().optional(),
  /** Without query. */
  landedAt: z.string().optional(),
  secondsAhead: z.number().optional(),
  problem: z.string().optional(),
  /** Whether the answer to the login shows that the server is a gateway. */
  isProof: z.boolean().optional(),
})
export type TrialResult = z.infer<typeof Trial>

/** The user's newest tried login. */
export interface LoginTrial extends TrialResult {
  readonly eventId: bigint
  readonly at: Date
}

interface TrialPorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'record' | 'flush'>
  readonly clock: Clock
  readonly ids: Ids
  readonly settings: Pick<Settings, 'gatewayRootUrl' | 'publicOrigin' | 'vaspDomain'>
}

interface TrialUser {
  readonly username: string
  readonly sessionId: string
  readonly currencyCode: string
}

/**
 * Logs the user in at the gateway in place of the user's browser, and records the result. The address is that of the login redirect,
 * below the configured root. The login is closed afterwards, because the gateway's log may contain its token.
 */
export async function tryLogin(
  ports: TrialPorts,
  vasp: Pick<UmaAuthVasp, 'login'>,
  user: TrialUser,
): Promise<TrialResult> {
  const result = await sendLogin(ports, vasp, user)
  ports.events.record({
    kind: 'login',
    name: DOCTOR_LOGIN,
    userId: user.username,
    status: result.status,
    summary: `made by the doctor: ${SUMMARIES[result.outcome]}`,
    detail: { facts: { trial: result } },
  })
  await ports.events.flush()
  return result
}

const SUMMARIES: Readonly<Record<TrialResult['outcome'], string>> = {
  accepted: 'the gateway accepted the login token',
  refused: 'the gateway refused the login token',
  elsewhere: 'the gateway sent the browser to another address than GATEWAY_ROOT_URL',
  'no callback': `the gateway has no ${CALLBACK} below GATEWAY_ROOT_URL`,
  'not a gateway': 'the server at GATEWAY_ROOT_URL is not known to be a gateway',
  'no answer': 'the gateway did not answer',
  'not issued': 'this server issued no login token',
}

/** The result of the user's newest tried login at the current root; undefined when there is none in the last 24 hours. */
export async function findTrial(
  { db, settings }: Pick<TrialPorts, 'db' | 'settings'>,
  username: string,
): Promise<LoginTrial | undefined> {
  const reader = { userId: username, withUnowned: false }
  const [newest] = await listEvents({ db }, reader, { kinds: ['login'], name: DOCTOR_LOGIN, limit: 1 })
  const event = newest && (await findEvent({ db }, reader, newest.id))
  const { data } = Trial.safeParse(event?.detail.facts?.trial)
  if (event === undefined || data?.root !== rootOf(settings)) return undefined
  return { ...data, eventId: event.id, at: event.recordedAt }
}

async function sendLogin(ports: TrialPorts, vasp: Pick<UmaAuthVasp, 'login'>, user: TrialUser): Promise<TrialResult> {
  const root = rootOf(ports.settings)
  const login = await issue(ports, vasp, user)
  if (login === undefined) return { outcome: 'not issued', root }
  try {
    const [page, answer] = await Promise.all([
      askGateway(root, `${root}/`, ports),
      askGateway(root, login.address, ports),
    ])
    // The public gateway shows its page at every address that it does not know, so the answer may be the page too.
    const isGateway = [page, answer].some((reply) => !('problem' in reply) && loginUrlOfPage(reply.text) !== undefined)
    if ('problem' in answer) return { outcome: 'no answer', root, problem: answer.problem }
    const { status, headers, secondsAhead } = answer
    const target = redirectOf(login.address, status, headers?.location)
    // Only a gateway adds what it has read in the token.
    const isProof = target?.searchParams.get('token') === login.token && target.searchParams.has('uma_address')
    return {
      outcome: isGateway || isProof ? outcomeOf(root, status, target) : 'not a gateway',
      root,
      status,
      ...(target === undefined ? {} : { landedAt: `${target.origin}${target.pathname}`.slice(0, 300) }),
      ...(secondsAhead === undefined ? {} : { secondsAhead }),
      isProof,
    }
  } finally {
    await closeLoginGrant(ports.db, login.id)
  }
}

/** The steps of the login redirect, in the order in which a browser takes them. */
async function issue(
  { ids, settings }: TrialPorts,
  { login }: Pick<UmaAuthVasp, 'login'>,
  { username, sessionId, currencyCode }: TrialUser,
): Promise<IssuedLogin | undefined> {
  const query = new URLSearchParams({ redirect_uri: `${rootOf(settings)}${CALLBACK}` })
  const request = { method: 'GET', url: `${settings.publicOrigin}/connect?${query}` }
  const sessionBinding = ids.uuid()
  const started = await login.start(request, sessionBinding)
  if (started instanceof Response) return undefined
  const { pending } = started
  const user = { id: username, address: addressOf(username, settings.vaspDomain), currencyCode }
  return issuedLogin(await login.finish({ method: request.method, pending, sessionBinding, user, sessionId }))
}

function redirectOf(asked: string, status: number, location: string | undefined): URL | undefined {
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, asked)) return undefined
  return new URL(location, asked)
}

const REFUSALS = [400, 401, 403, 500]

function outcomeOf(root: string, status: number, target: URL | undefined): TrialResult['outcome'] {
  if (target === undefined) return REFUSALS.includes(status) ? 'refused' : 'no callback'
  // A proxy that moves every address keeps the path of the callback.
  const isBelowRoot = `${target.origin}${target.pathname}/`.startsWith(`${root}/`)
  return isBelowRoot && !target.pathname.endsWith(CALLBACK) ? 'accepted' : 'elsewhere'
}
