import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npubEncode } from 'nostr-tools/nip19'
import { finalizeEvent, generateSecretKey, getPublicKey, type Event } from 'nostr-tools/pure'
import type { Currency } from '@/sandbox/gateway/login'
import type { Service } from '@/sandbox/gateway/service'
import { loadGatewaySettings, type GatewaySettings } from '@/sandbox/gateway/settings'
import { startGateway, type RunningGateway } from '@/sandbox/gateway/start'
import type { Store } from '@/sandbox/gateway/store'
import { RelayLink } from '@/sandbox/nostr/relay-link'
import { open, seal, type Scheme } from '@/sandbox/nostr/sealed'
import { Hub } from '@/sandbox/relay/hub'
import { startRelay, type RunningRelay } from '@/sandbox/relay/server'
import { signAny } from '../../packages/uma-auth-vasp/test/token-faults'
import { newKeyPair } from '../vasp/keys'

const DOMAIN = 'localhost:3000'
const ROOT = 'http://localhost:8080'
const ALL =
  'pay_invoice,make_invoice,lookup_invoice,get_balance,get_budget,get_info,list_transactions,pay_keysend,lookup_user,fetch_quote,execute_quote,pay_to_address'
export const USD = { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }

export interface VaspCallSeen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown> | undefined
  readonly headers: IncomingHttpHeaders
}
export interface VaspAnswer {
  readonly status?: number
  readonly body: unknown
  /** Cuts the connection instead of answering, after counting the call. */
  readonly cut?: boolean
}

/** A scripted VASP. It answers `/info` and the token exchange; the test sets the answers to all other paths. */
export class FakeVasp {
  readonly seen: VaspCallSeen[] = []
  answers = new Map<string, (call: VaspCallSeen) => VaspAnswer | Promise<VaspAnswer>>()
  readonly pair = newKeyPair()
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://vasp')
      const text = Buffer.concat(chunks).toString()
      const call: VaspCallSeen = {
        method: request.method ?? '',
        path: url.pathname.replace('/umanwc/v1', ''),
        query: url.searchParams,
        body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
        headers: request.headers,
      }
      this.seen.push(call)
      void this.answer(call).then(({ status = 200, body, cut }) => {
        if (cut === true) return request.socket.destroy()
        return response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(typeof body === 'string' ? body : JSON.stringify(body))
      })
    })
  })

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  callsOf(path: string): VaspCallSeen[] {
    return this.seen.filter((call) => call.path === path)
  }

  private async answer(call: VaspCallSeen): Promise<VaspAnswer> {
    const scripted = this.answers.get(`${call.method} ${call.path}`)
    if (scripted !== undefined) return scripted(call)
    if (call.path === '/info') {
      const currencies = [{ currency: USD, multiplier: 10_000, min: 1, max: 1_000_000 }]
      return { body: { pubkey: 'x', network: 'regtest', methods: [], currencies } }
    }
    if (call.path === '/token')
      return { body: { token: signAny({ sub: 'alice', jti: randomBytes(8).toString('hex') }, this.pair.privatePem) } }
    return { status: 404, body: { code: 'NOT_FOUND', message: `nothing at ${call.path}` } }
  }
}

/** How many seconds the clocks of all processes of a test are ahead of the machine's clock. */
let ahead = 0

export interface TestGateway {
  readonly settings: GatewaySettings
  readonly app: RunningGateway['app']
  readonly store: Store
  readonly service: Service
  readonly relay: RunningRelay
  /** Seconds added to the clock. */
  aheadSeconds: number
  /** The session cookie of a user who has just returned from the VASP. */
  signIn(token: string, currency?: Currency): Promise<string>
  post(path: string, form: Readonly<Record<string, string>> | URLSearchParams, cookie?: string): Promise<Response>
  /** A new simulator on the same folder and relay; the old one is closed. */
  restart(): Promise<TestGateway>
  close(): Promise<void>
}

export interface VaspAddress {
  readonly apiBase: string
  readonly publicPem: string
}

export async function makeTestGateway(
  vasp: VaspAddress,
  options: {
    readonly supported?: string
    readonly buffer?: string
    readonly relay?: RunningRelay
    readonly folder?: string
  } = {},
): Promise<TestGateway> {
  ahead = 0
  const now = (): number => Math.floor(Date.now() / 1000) + ahead
  // The relay rejects events from the future, so it uses the same clock.
  const relay = options.relay ?? (await startRelay(0, new Hub(() => now())))
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gateway-'))
  const settings = loadGatewaySettings({
    NWC_APP_ROOT_URL: ROOT,
    UMA_VASP_LOGIN_URL: `http://${DOMAIN}/connect`,
    UMA_VASP_TOKEN_EXCHANGE_URL: `${vasp.apiBase}/token`,
    VASP_UMA_API_BASE_URL: vasp.apiBase,
    UMA_VASP_JWT_PUBKEY: vasp.publicPem,
    UMA_VASP_JWT_AUD: DOMAIN,
    UMA_VASP_JWT_ISS: DOMAIN,
    VASP_NAME: 'Northbank',
    VASP_SUPPORTED_COMMANDS: options.supported ?? ALL,
    RELAY: relay.url,
    GATEWAY_DATA_DIR: folder,
    BUDGET_BUFFER_MULTIPLIER: options.buffer ?? '1',
  })
  const { app, store, service } = startGateway(settings, { nowSeconds: now, log: () => {} })
  const gateway: TestGateway = {
    settings,
    app,
    store,
    service,
    relay,
    get aheadSeconds() {
      return ahead
    },
    set aheadSeconds(seconds) {
      ahead = seconds
    },
    async signIn(token, currency = USD) {
      const query = new URLSearchParams({ token, currency: JSON.stringify(currency) })
      const response = await app.request(`/auth/vasp_token_callback?${query}`)
      return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    },
    post: async (path, form, cookie) =>
      app.request(path, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Origin: ROOT,
          ...(cookie === undefined ? {} : { Cookie: cookie }),
        },
      }),
    restart() {
      service.close()
      return makeTestGateway(vasp, { ...options, relay, folder })
    },
    async close() {
      service.close()
      await relay.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return gateway
}

/** A login token signed with the fake VASP's key. */
export function loginToken(vasp: FakeVasp, claims: Readonly<Record<string, unknown>> = {}): string {
  return signAny(
    {
      sub: 'alice',
      address: `$alice@${DOMAIN}`,
      aud: DOMAIN,
      iss: DOMAIN,
      exp: Math.floor(Date.now() / 1000) + 600,
      ...claims,
    },
    vasp.pair.privatePem,
  )
}

export interface ManualTerms {
  readonly groups?: readonly string[]
  /** Budget as a decimal amount in the login's currency. Undefined: no budget. */
  readonly budget?: string
  readonly frequency?: string
  readonly life?: string
  /** The user's default currency, as the VASP sends it; USD when absent. */
  readonly currency?: Currency
}

/** Creates a manual connection and reads its pairing URI from the page that shows it once. */
export async function pair(gateway: TestGateway, token: string, terms: ManualTerms = {}): Promise<string> {
  const cookie = await gateway.signIn(token, terms.currency)
  const groups = terms.groups ?? ['send_payments', 'receive_payments', 'read_balance', 'read_transactions']
  const form = new URLSearchParams([
    ['name', 'Test app'],
    ['decision', 'connect'],
    ['life', terms.life ?? 'none'],
    ['frequency', terms.frequency ?? 'none'],
    ...(terms.budget === undefined
      ? []
      : [['limited', 'yes'] as [string, string], ['amount', terms.budget] as [string, string]]),
    ...groups.map((group) => ['group', group] as [string, string]),
  ])
  const made = await gateway.post('/connection/new', form, cookie)
  if (made.status !== 303) throw new Error(`not connected: ${made.status} ${await made.text()}`)
  const page = await (
    await gateway.app.request(made.headers.get('location') ?? '', { headers: { Cookie: cookie } })
  ).text()
  const uri = /nostr\+walletconnect:[^<\s]+/.exec(page)?.[0]
  if (uri === undefined) throw new Error('the page shows no pairing URI')
  return uri.replaceAll('&amp;', '&')
}

/** A request without the params field. */
export const NO_PARAMS = Symbol('no params')

/** A minimal NWC client, so that a test can send what a library would not. */
export interface NwcClient {
  call(
    method: string,
    params?: unknown,
    how?: { scheme?: Scheme; tag?: string | null; tags?: string[][] },
  ): Promise<NwcReply>
  /** Sends this text as the content, unencrypted. */
  sendRaw(content: string, tags?: string[][]): Promise<NwcReply>
  /** Publishes the event of the last request again. */
  repeat(): Promise<NwcReply>
  close(): void
}
export interface NwcReply {
  readonly result_type?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: string; readonly message: string }
}

export async function nwcClient(pairingUri: string): Promise<NwcClient> {
  const url = new URL(pairingUri.replace('nostr+walletconnect://', 'http://'))
  const wallet = url.host
  const secret = Uint8Array.from(Buffer.from(url.searchParams.get('secret') ?? '', 'hex'))
  const waiting = new Map<string, { scheme: Scheme; resolve: (reply: NwcReply) => void }>()
  let ready: () => void = () => {}
  const connected = new Promise<void>((resolve) => (ready = resolve))
  const link = new RelayLink(url.searchParams.get('relay') ?? '', {
    filters: () => [{ kinds: [23_195], '#p': [getPublicKey(secret)] }],
    onEvent(event) {
      const id = event.tags.find(([name]) => name === 'e')?.[1] ?? ''
      const waiter = waiting.get(id)
      if (waiter === undefined) return
      waiting.delete(id)
      waiter.resolve(JSON.parse(open(waiter.scheme, secret, wallet, event.content)) as NwcReply)
    },
    onConnected: () => ready(),
  }).start()
  await connected
  let last: { readonly event: Event; readonly scheme: Scheme } | undefined
  const send = (content: string, scheme: Scheme, tags: string[][]): Promise<NwcReply> => {
    const event = finalizeEvent(
      { kind: 23_194, created_at: Math.floor(Date.now() / 1000) + ahead, tags: [['p', wallet], ...tags], content },
      secret,
    )
    last = { event, scheme }
    return publish(last)
  }
  const publish = async ({ event, scheme }: { event: Event; scheme: Scheme }): Promise<NwcReply> => {
    const reply = new Promise<NwcReply>((resolve) => waiting.set(event.id, { scheme, resolve }))
    // A busy relay may acknowledge late; only the answer counts.
    await link.publish(event).catch((error: unknown) => {
      if (!String(error).includes('timed out')) throw error
    })
    return reply
  }
  return {
    call(method, params = {}, how = {}) {
      const scheme = how.scheme ?? 'nip44_v2'
      const tag = how.tag === undefined ? scheme : how.tag
      const message = params === NO_PARAMS ? { method } : { method, params }
      const tags = [...(tag === null ? [] : [['encryption', tag]]), ...(how.tags ?? [])]
      return send(seal(scheme, secret, wallet, JSON.stringify(message)), scheme, tags)
    },
    sendRaw: (content, tags = [['encryption', 'nip44_v2']]) =>
      send(content, content.includes('?iv=') ? 'nip04' : 'nip44_v2', tags),
    repeat: () => (last === undefined ? Promise.reject(new Error('nothing was sent yet')) : publish(last)),
    close: () => link.stop(),
  }
}

export interface TestApp {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
  readonly query: URLSearchParams
}

/** A client app with its identity on the relay, and the query of its login. */
export async function registerApp(
  relay: RunningRelay,
  options: {
    readonly query?: Readonly<Record<string, string>>
    readonly identity?: Readonly<Record<string, unknown>>
  } = {},
): Promise<TestApp> {
  const secret = generateSecretKey()
  const redirectUri = 'http://localhost:3200/callback'
  const identity = { name: 'A shop', allowed_redirect_urls: [redirectUri], ...options.identity }
  const event = finalizeEvent(
    { kind: 13_195, created_at: Math.floor(Date.now() / 1000), tags: [], content: JSON.stringify(identity) },
    secret,
  )
  const link = new RelayLink(relay.url)
  await link.publish(event).finally(() => link.stop())
  const verifier = randomBytes(32).toString('base64url')
  const clientId = `${npubEncode(getPublicKey(secret))} ${relay.url}`
  const query = new URLSearchParams({
    client_id: clientId,
    required_commands: 'get_info',
    optional_commands: 'get_balance pay_invoice make_invoice',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    redirect_uri: redirectUri,
    state: 'state of the app',
    budget: '5000.USD/monthly',
    ...options.query,
  })
  return { clientId, redirectUri, verifier, query }
}
