import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { addressOf, createUmaAuthVasp, importKeys, type PendingLogin } from 'uma-auth-vasp'
import { createWallet } from '@/examples/express/wallet'
import { decodeToken } from '@/packages/uma-auth-conformance/src/jwt'
import { newKeyPair } from '@/packages/uma-auth-vasp/test/key-pair'
import { createCompleteWallet, withKeys, type Wallet } from './complete-wallet'

/** A request to the reference VASP, as the mutations see it. */
export interface Call {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export type Handler = (call: Call) => Promise<Answer>
export type Pair = ReturnType<typeof newKeyPair>

export interface ReferenceOptions {
  /** `example`: the commands of `examples/express`. `complete`: all twelve. */
  readonly wallet?: 'example' | 'complete'
  readonly gatewayRoot?: string
  /** Changes one method of the wallet. */
  readonly changeWallet?: ((wallet: Wallet) => Wallet) | undefined
  /** Wraps the VASP. */
  readonly wrap?: ((next: Handler, pair: Pair, gatewayRoot: string) => Handler) | undefined
}

export interface ReferenceVasp {
  readonly origin: string
  readonly gatewayRoot: string
  readonly pair: Pair
  stop(): Promise<void>
}

export const PASSWORD = 'of this test'
const USERS = ['alice', 'bob']
const COOKIE = 'session'
const ACCOUNT_PAGE =
  '<!doctype html><form action="/end" method="post"><button>End all connections</button></form><form action="/sign-out" method="post"><button>Sign out</button></form>'

/** The example's VASP and sign-in in this process, on a free port. */
export async function startReferenceVasp(options: ReferenceOptions = {}): Promise<ReferenceVasp> {
  const { gatewayRoot = 'http://localhost:9080' } = options
  const pair = newKeyPair()
  let handler: Handler = () => Promise.reject(new Error('not ready'))
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = new Headers(request.headers as Record<string, string>)
      const { method = 'GET', url = '/' } = request
      const call = { method, url, headers, body: Buffer.concat(chunks).toString() }
      void respond(response, call, () => handler(call))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as { port: number }
  const origin = `http://localhost:${port}`
  const made = options.wallet === 'complete' ? createCompleteWallet(USERS) : (createWallet(USERS) as unknown as Wallet)
  const wallet = withKeys(options.changeWallet?.(made) ?? made)
  const inner = await createHandler(origin, gatewayRoot, pair, wallet)
  handler = options.wrap?.(inner, pair, gatewayRoot) ?? inner
  return {
    origin,
    gatewayRoot,
    pair,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(response: ServerResponse, { method }: Call, handle: () => Promise<Answer>): Promise<void> {
  const { status, headers, text } = await handle().catch((error: unknown) => answer(500, String(error)))
  for (const [name, value] of headers) response.appendHeader(name, value)
  response.writeHead(status)
  response.end(method === 'HEAD' ? undefined : text)
}

async function createHandler(origin: string, gatewayRootUrl: string, pair: Pair, backend: Wallet): Promise<Handler> {
  const vasp = createUmaAuthVasp({
    domain: new URL(origin).host,
    name: 'Reference',
    gatewayRootUrl,
    keys: await importKeys({ privateKey: pair.privatePem, publicKey: pair.publicPem }),
    loginSecret: randomBytes(32).toString('hex'),
    currencies: [{ code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 }],
    backend,
    log: { error: () => undefined },
  })
  const sessions = new Map<string, string>()
  const walletUser = (id: string) => ({ id, address: addressOf(id, new URL(origin).host), currencyCode: 'SAT' })

  const issued = new Map<string, string>()
  const ended = new Set<string>()
  /** Login tokens by the session that issued them. */
  const loginTokens = new Map<string, string[]>()
  function remember(session: string, given: Answer): Answer {
    const [, token] = /[?&]token=([^&]+)/.exec(given.headers.get('location') ?? '') ?? []
    if (token !== undefined) loginTokens.set(session, [...(loginTokens.get(session) ?? []), token])
    return given
  }

  async function connect(call: Call): Promise<Answer> {
    const id = sessionOf(call) ?? randomBytes(32).toString('hex')
    const user = sessions.get(id)
    const login = await vasp.login.start({ method: call.method, url: call.url }, id)
    if (login instanceof Response) return read(login)
    if (user === undefined) return signInPage(login, id)
    const binding = { method: 'GET' as const, sessionBinding: id, user: walletUser(user) }
    return remember(id, await read(await vasp.login.finish({ ...login, ...binding })))
  }

  async function signIn(call: Call): Promise<Answer> {
    const id = sessionOf(call) ?? ''
    const { pending = '', name = '', password } = Object.fromEntries(new URLSearchParams(call.body))
    const login = await vasp.login.read(pending, id)
    if (typeof login === 'string' || !USERS.includes(name) || password !== PASSWORD)
      return answer(403, 'The name or the password is wrong.')
    const response = await read(
      await vasp.login.finish({ ...login, method: 'POST', sessionBinding: id, user: walletUser(name) }),
    )
    sessions.set(id, name)
    return remember(id, response)
  }

  function account(path: string, call: Call): Answer {
    const user = sessions.get(sessionOf(call) ?? '')
    if (user === undefined) return answer(403, 'Sign in first.')
    if (path === '/sign-out') {
      sessions.delete(sessionOf(call) ?? '')
      for (const token of loginTokens.get(sessionOf(call) ?? '') ?? []) ended.add(token)
    }
    if (path === '/end') for (const [token, owner] of issued) if (owner === user) ended.add(token)
    return answer(200, ACCOUNT_PAGE, { 'Content-Type': 'text/html' })
  }

  return async (call) => {
    const [path = ''] = call.url.split('?', 1)
    if (path === '/connect') return connect(call)
    if (path === '/sign-in') return signIn(call)
    if (path === '/account' || path === '/sign-out' || path === '/end') return account(path, call)
    const bearer = call.headers.get('authorization')?.replace(/^Bearer /, '') ?? ''
    if (ended.has(bearer)) return answer(401, '{"error":"Unauthorized","code":"UNAUTHORIZED","message":"Unauthorized"}')
    if (!vasp.owns(path)) return answer(404, 'Not found')
    const { method, headers, body } = call
    // A mutation may have changed the body.
    headers.delete('content-length')
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const given = await read(
      await vasp.fetch(new Request(`${origin}${call.url}`, { method, headers, ...(hasBody ? { body } : {}) })),
    )
    const { token } =
      path.endsWith('/token') && given.status === 200 ? (JSON.parse(given.text) as { token: string }) : {}
    if (token !== undefined) issued.set(token, String(decodeToken(token)?.claims.sub))
    return given
  }
}

function signInPage({ pending }: PendingLogin, id: string): Answer {
  const page = `<!doctype html><form action="/sign-in" method="post"><input type="hidden" name="pending" value="${pending}">
    <input name="name"><input name="password" type="password"><button>Sign in</button></form>`
  return answer(200, page, { 'Content-Type': 'text/html', 'Set-Cookie': `${COOKIE}=${id}; HttpOnly` })
}

function sessionOf({ headers }: Call): string | undefined {
  return new RegExp(`${COOKIE}=([0-9a-f]{64})`).exec(headers.get('cookie') ?? '')?.[1]
}

export function answer(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return { status, text, headers: new Headers({ 'Content-Type': 'text/plain', ...headers }) }
}

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() }
}
