import { randomUUID } from 'node:crypto'
import { alwaysGranted, type ApiRequest, type ApiResponse, type UmaAuthVasp } from 'uma-auth-vasp'
import { loadJwtKeys } from '@/lib/accounts/jwt-keys'
import { makeSignInThrottle } from '@/lib/accounts/sign-in/sign-in-throttle'
import { makeAuditor } from '@/lib/audit/auditor'
import type { Application } from '@/lib/backend/application'
import { makeProtocol } from '@/lib/backend/protocol'
import { makeAppNames } from '@/lib/connections/app-names'
import { insertLoginGrant } from '@/lib/connections/login-grants'
import { NO_FEED } from '@/lib/events/feed'
import { NO_EVENTS, type EventRecorder } from '@/lib/events/recorder'
import type { NewEvent } from '@/lib/events/types'
import { createInvoice, type InvoiceRequest } from '@/lib/invoices/service'
import { openHouseAccounts, openNodeAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/ledger/rate-snapshot'
import type { LightningNode } from '@/lib/lightning/node'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { makeSimulatedNode, type SimulatedNode, type SimulatedNodeParts } from '@/lib/lightning/simulated-node/node'
import { readCursor } from '@/lib/payments/node-events'
import { peerMessageEvents } from '@/lib/payments/payment-events'
import { makeCreditPlanner } from '@/lib/payments/receive'
import { makePaymentWorker } from '@/lib/payments/worker'
import { makeBoundedLog } from '@/lib/platform/bounded-log'
import { systemClock } from '@/lib/platform/clock'
import { loadSettings } from '@/lib/platform/config'
import type { Database } from '@/lib/platform/db/database'
import { describeFailure } from '@/lib/platform/failures'
import { makeRateLimits } from '@/lib/platform/http/rate-limits'
import { randomIds } from '@/lib/platform/ids'
import { makeLog } from '@/lib/platform/log'
import type { Resolve } from '@/lib/platform/net/public-lookup'
import { findPayableUser } from '@/lib/uma/find-payable-user'
import { umaInvoices } from '@/lib/uma/invoices/open'
import { openUma } from '@/lib/uma/open'
import { newKeyPair, newNodeSecret } from './keys'
import { testPasswords } from './passwords'

/** The API as a function. The client's address may be unknown. */
export interface TestApi {
  (request: Request, client?: { readonly remoteAddress: string | undefined }): Promise<Response>
  answer(request: ApiRequest): Promise<ApiResponse>
}

export function apiOf(auth: Pick<UmaAuthVasp, 'handle'>): TestApi {
  const api = async (request: Request, client?: { readonly remoteAddress: string | undefined }): Promise<Response> => {
    const { method, url, headers, body, signal } = request
    const asked = { method, url, headers, body, signal, remoteAddress: client?.remoteAddress }
    const { status, text, headers: answered } = await auth.handle(asked)
    return new Response(text, { status, headers: answered })
  }
  return Object.assign(api, { answer: (request: ApiRequest) => auth.handle(request) })
}

/** A VASP without its HTTP server: a real database, real keys, and the lines of its log. */
export interface TestVasp {
  readonly app: Application
  readonly auth: UmaAuthVasp
  readonly api: TestApi
  readonly pair: ReturnType<typeof newKeyPair>
  readonly logged: string[]
  /** Every event since the VASP was made. */
  readonly recorded: NewEvent[]
  /** GET under the API base. */
  get(path: string, token?: string): Promise<Answer>
  /** POST of JSON under the API base. */
  post(
    path: string,
    token: string | undefined,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  exchange(token: string | undefined, body: unknown): Promise<Answer>
  /** A login token whose grant is stored, as the login redirect makes it. */
  loginToken(username: string): Promise<string>
  /** A long-lived token of a stored connection. */
  connectionToken(username: string, permissions?: readonly string[]): Promise<string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export async function makeTestVasp(
  db: Database,
  env: Readonly<Record<string, string>> = {},
  pair = newKeyPair(),
  node: LightningNode | ((parts: SimulatedNodeParts) => SimulatedNode) = makeSimulatedNode,
  resolve?: Resolve,
): Promise<TestVasp> {
  const settings = loadSettings({
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    JWT_PRIVATE_KEY: pair.privatePem,
    JWT_PUBLIC_KEY: pair.publicPem,
    LIGHTNING_NODE_KEY: newNodeSecret(),
    RATE_LIMITS: 'off',
    ...env,
  })
  const logged: string[] = []
  const recorded: NewEvent[] = []
  const events: EventRecorder = { ...NO_EVENTS, record: (event) => void recorded.push(event) }
  const log = makeLog('info', 'test', { write: (line) => void logged.push(line) })
  const nodeKeys =
    typeof node === 'function' ? settings.lightningPeers.map(({ publicKeyHex }) => publicKeyHex) : node.accounts
  const [house, nodeAccounts] = [await openHouseAccounts(db), await openNodeAccounts(db, nodeKeys)]
  const rates = await openRates(db)
  const secretHex = settings.lightningNodeKeyHex ?? newNodeSecret()
  const nodeParts: SimulatedNodeParts = {
    secretHex,
    peers: settings.lightningPeers,
    db,
    clock: systemClock,
    publicOrigin: settings.publicOrigin,
    peerLimitMsats: settings.lightningPeerLimitMsats,
    creditPlanner: makeCreditPlanner({ db, house, nodeAccounts, rates }, nodePublicKey(secretHex)),
    log,
    rateLimits: settings.rateLimits,
    onMessage: (message) => peerMessageEvents(message).forEach((event) => events.record(event)),
  }
  const nodes = typeof node === 'function' ? simulatedNodes(node(nodeParts)) : { node, simulatedNode: undefined }
  const ports = {
    settings,
    db,
    ids: randomIds,
    events,
    log,
    node: nodes.node,
    house,
    nodeAccounts,
    nodePeers: typeof node === 'function' ? settings.lightningPeers : undefined,
    rates,
    // A scripted node keeps its own records.
    audit: makeAuditor(
      db,
      log,
      typeof node === 'function' ? 'here' : 'elsewhere',
      nodes.simulatedNode?.totals.differences,
    ),
  }
  const app: Application = {
    ...ports,
    simulatedNode: nodes.simulatedNode,
    uma: await openUma({
      settings,
      db,
      clock: systemClock,
      log,
      events,
      ...(resolve === undefined ? {} : { resolve }),
    }),
    umaInvoices: settings.umaInvoices ? umaInvoices : undefined,
    clock: systemClock,
    findRecipient: findPayableUser,
    createInvoice: (request) => createInvoice(ports, request),
    paymentWorker: makePaymentWorker({ ...ports, cursor: await readCursor(ports) }),
    keys: await loadJwtKeys(settings),
    limits: makeRateLimits(settings.rateLimits),
    boundedLog: makeBoundedLog(log),
    signInThrottle: makeSignInThrottle({ db, settings }),
    passwords: testPasswords,
    describeFailure,
    eventFeed: NO_FEED,
    appNames: makeAppNames(settings.identityRelays, systemClock),
    faults: undefined,
  }
  return vaspOf(app, pair, { logged, recorded })
}

function simulatedNodes(node: SimulatedNode): Pick<Application, 'node' | 'simulatedNode'> {
  return { node, simulatedNode: node }
}

/** The same VASP over another database handle, for example one that fails. */
export function onDatabase({ app, pair, ...lists }: TestVasp, db: Database): TestVasp {
  const ports = { ...app, db }
  const parts = {
    createInvoice: (request: InvoiceRequest) => createInvoice(ports, request),
    paymentWorker: makePaymentWorker(ports),
    signInThrottle: makeSignInThrottle(ports),
  }
  return vaspOf({ ...ports, ...parts }, pair, lists)
}

/** The same VASP with other parts. */
export function withParts({ app, pair, ...lists }: TestVasp, parts: Partial<Application>): TestVasp {
  return vaspOf({ ...app, ...parts }, pair, lists)
}

export function vaspOf(
  app: Application,
  pair: TestVasp['pair'],
  { logged, recorded }: Pick<TestVasp, 'logged' | 'recorded'>,
): TestVasp {
  const { db, settings } = app
  const auth = makeProtocol(app)
  const api = apiOf(auth)
  const base = `${settings.publicOrigin}${settings.apiBasePath}`
  const bearer = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { Authorization: `Bearer ${token}` }

  const vasp: TestVasp = {
    app,
    auth,
    api,
    pair,
    logged,
    recorded,
    get: async (path, token) => read(await api(new Request(`${base}${path}`, { headers: bearer(token) }))),
    post: async (path, token, body, headers = {}) =>
      read(
        await api(
          new Request(`${base}${path}`, {
            method: 'POST',
            headers: { ...headers, ...bearer(token) },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        ),
      ),
    exchange: (token, body) => vasp.post('/token', token, body),
    async loginToken(username) {
      const id = randomUUID()
      const { token, expiresAtSeconds } = await auth.tokens.issueLogin({
        id,
        userId: username,
        address: `$${username}@${settings.vaspDomain}`,
      })
      const sessionId = randomUUID()
      await db.query(
        {
          name: 'test_session',
          text: `insert into sessions (id, user_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
        },
        [sessionId, username],
      )
      await insertLoginGrant(db, { id, userId: username, sessionId, appHost: null, clientId: null, expiresAtSeconds })
      return token
    },
    async connectionToken(username, permissions = alwaysGranted()) {
      const { body } = await vasp.exchange(await vasp.loginToken(username), { permissions })
      return String(body.token)
    },
  }
  return vasp
}

/** The `jti` of a token: the id of its login or its connection. */
export function idOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  }
}

/** A browser's request for the login redirect. */
export function connectRequest(query: Readonly<Record<string, string>>): { method: string; url: string } {
  return { method: 'GET', url: `http://localhost:3000/connect?${new URLSearchParams(query)}` }
}
