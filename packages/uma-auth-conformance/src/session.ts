import { randomBytes, type KeyObject } from 'node:crypto'
import type { Browser } from './browser.ts'
import { fieldsOf, isRecord } from './check.ts'
import type { HttpClient, Reply } from './http.ts'
import { decodeToken, newForeignKey, nowSeconds } from './jwt.ts'
import { CurrencyModel } from './models.ts'
import type { SignedIn, SignIn, UserName } from './sign-in.ts'
import type { Target } from './target.ts'
import type { UmaSender } from './uma-sender.ts'
import { CannotRun, COMMANDS, Failure, SetupFailure, type Command } from './verdict.ts'

export interface SessionOptions {
  readonly target: Target
  readonly signIn: SignIn | undefined
  readonly signingKey?: KeyObject | undefined
  /** An invoice that `--payments` may pay; undefined when the second user creates one. */
  readonly invoice?: string | undefined
  readonly umaSender?: UmaSender | undefined
  /** A login token that was issued before the VASP lost its signing key. */
  readonly loginToken?: string | undefined
  /** How many seconds to wait for the answer to a payment. */
  readonly paymentSeconds: number
}

interface Login {
  readonly returnedTo: string
  readonly token: string
  readonly browser: Browser | undefined
  exchanges: number
}

/** A currency of `/info`, with defaults for the values that cannot be read. */
export interface InfoCurrency {
  readonly code: string
  readonly decimals: number
  readonly min: number
  readonly max: number
  readonly multiplier: number
}

/** The kit reuses a login token only if at least two minutes of its lifetime remain. */
const FRESH_SECONDS = 120
/** A VASP may limit the connections of one sign-in. A higher number spares the human user some sign-ins. */
const EXCHANGES_PER_LOGIN = { recipe: 10, command: 10, interactive: 18 }

/** What the cases of a run share: sign-ins, tokens and the answers that describe the VASP. */
export class Session {
  readonly options: SessionOptions
  readonly foreignKey = newForeignKey()
  readonly #logins = new Map<UserName, Login>()
  readonly #connections = new Map<string, string>()
  readonly #infos = new Map<UserName, Reply>()
  readonly #memos = new Map<string, Promise<unknown>>()
  #discovery: Reply | undefined
  #expiring: { readonly token: string; readonly expiresAtSeconds: number } | undefined

  constructor(options: SessionOptions) {
    this.options = options
  }

  get target(): Target {
    return this.options.target
  }

  async discovery(client: HttpClient): Promise<Reply> {
    this.#discovery ??= await client.send({ url: `${this.target.origin}/.well-known/uma-configuration` })
    return this.#discovery
  }

  /** From the flags, or else from the discovery document. @throws Failure when neither names it. */
  async gatewayRoot(client: HttpClient): Promise<URL> {
    if (this.target.gatewayRoot !== undefined) return this.target.gatewayRoot
    const endpoint = fieldsOf(await this.discovery(client)).authorization_endpoint
    if (typeof endpoint === 'string' && endpoint.endsWith('/oauth/auth') && URL.canParse(endpoint))
      return new URL(endpoint.slice(0, -'/oauth/auth'.length))
    throw new Failure('The discovery document does not name the gateway. Name it with --gateway.')
  }

  /** The gateway's root without a trailing slash. */
  async gatewayAddress(client: HttpClient): Promise<string> {
    return (await this.gatewayRoot(client)).href.replace(/\/$/, '')
  }

  async isGateway(client: HttpClient): Promise<(url: string) => boolean> {
    const root = await this.gatewayRoot(client)
    const path = root.pathname.replace(/\/$/, '')
    return (address) => {
      const url = new URL(address)
      return url.origin === root.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`))
    }
  }

  /** The login address with a `redirect_uri`, encoded once. */
  loginUrl(redirectUri: string): string {
    return withQuery(this.target.login, `redirect_uri=${encodeURIComponent(redirectUri)}`)
  }

  async login(client: HttpClient, user: UserName): Promise<Login> {
    const known = this.#logins.get(user)
    const { signIn } = this.options
    if (known !== undefined && isFresh(known, EXCHANGES_PER_LOGIN[signIn?.kind ?? 'recipe'])) return known
    if (signIn === undefined) throw new CannotRun('Tell the kit how to sign in.')
    const root = await this.gatewayAddress(client)
    const loginUrl = this.loginUrl(`${root}/auth/vasp_token_callback?client_id=uma-auth-conformance`)
    const isGateway = await this.isGateway(client)
    const { returnedTo, browser } = await this.#arrive(client, { user, loginUrl, isGateway, known }).catch(
      asSetup('login.sign-in'),
    )
    const token = new URL(returnedTo).searchParams.get('token')
    if (token === null || token === '')
      throw new SetupFailure('login.sign-in', 'The redirect to the gateway has no token parameter.')
    const login: Login = { returnedTo, token, browser, exchanges: 0 }
    this.#logins.set(user, login)
    return login
  }

  /** Uses the existing session if there is one; otherwise signs in. */
  async #arrive(
    client: HttpClient,
    request: {
      readonly user: UserName
      readonly loginUrl: string
      readonly isGateway: (url: string) => boolean
      readonly known: Login | undefined
    },
  ): Promise<{ readonly returnedTo: string; readonly browser: Browser | undefined }> {
    const { known, ...rest } = request
    if (known?.browser !== undefined) {
      const { stoppedAt } = await known.browser.visit(client, { url: rest.loginUrl }, rest.isGateway)
      if (stoppedAt !== undefined) return { returnedTo: stoppedAt, browser: known.browser }
    }
    const { signIn } = this.options
    if (signIn === undefined) throw new CannotRun('Tell the kit how to sign in.')
    return signIn.signIn({ client, ...rest })
  }

  /** Signs the first user in anew, apart from the session that the other cases use. */
  async signInApart(client: HttpClient, inOtherBrowser = false): Promise<SignedIn> {
    const { signIn } = this.options
    if (signIn === undefined) throw new CannotRun('Tell the kit how to sign in.')
    const root = await this.gatewayAddress(client)
    const loginUrl = this.loginUrl(`${root}/auth/vasp_token_callback`)
    return signIn.signIn({ client, user: 'first', loginUrl, isGateway: await this.isGateway(client), inOtherBrowser })
  }

  /** A login token with at least two minutes left. */
  async loginToken(client: HttpClient, user: UserName = 'first'): Promise<string> {
    return (await this.login(client, user)).token
  }

  exchange(client: HttpClient, token: string | undefined, body: unknown): Promise<Reply> {
    return client.send({
      method: 'POST',
      url: this.target.exchange,
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  /** An exchange with a valid login token. */
  async exchangeAs(client: HttpClient, user: UserName, body: unknown): Promise<Reply> {
    const login = await this.login(client, user)
    login.exchanges += 1
    return this.exchange(client, login.token, body)
  }

  /** A connection token, the same for the same permissions. @throws Failure when the exchange is refused. */
  async connectionToken(
    client: HttpClient,
    user: UserName = 'first',
    permissions: readonly string[] = COMMANDS,
  ): Promise<string> {
    const key = `${user} ${permissions.join(' ')}`
    const known = this.#connections.get(key)
    if (known !== undefined) return known
    const token = await this.exchangeAs(client, user, { permissions }).then(tokenOf).catch(asSetup('exchange.token'))
    this.#connections.set(key, token)
    return token
  }

  /** Creates a connection that expires soon. The case that waits for the expiry comes later in the run. */
  async startExpiring(client: HttpClient): Promise<{ readonly token: string; readonly expiresAtSeconds: number }> {
    if (this.#expiring === undefined) {
      const expiresAtSeconds = nowSeconds() + 3
      const body = { permissions: COMMANDS, expiration: expiresAtSeconds }
      const token = await this.exchangeAs(client, 'first', body).then(tokenOf).catch(asSetup('exchange.token'))
      this.#expiring = { token, expiresAtSeconds }
    }
    return this.#expiring
  }

  async info(client: HttpClient, user: UserName = 'first'): Promise<Reply> {
    const known = this.#infos.get(user)
    if (known !== undefined) return known
    const token = await this.connectionToken(client, user)
    const reply = await client.send({ url: `${this.target.api}/info`, headers: { Authorization: `Bearer ${token}` } })
    this.#infos.set(user, reply)
    return reply
  }

  /** Currencies of the user, in order. Entries that cannot be read are left out: another case reports them. */
  async currencies(client: HttpClient, user: UserName = 'first'): Promise<InfoCurrency[]> {
    const { currencies } = fieldsOf(await this.info(client, user))
    if (!Array.isArray(currencies)) return []
    return currencies.flatMap((entry: unknown) => {
      if (!isRecord(entry) || !isRecord(entry.currency) || typeof entry.currency.code !== 'string') return []
      const { code, decimals } = entry.currency
      const number = (value: unknown, other: number): number => (typeof value === 'number' && value > 0 ? value : other)
      return [
        {
          code,
          decimals: typeof decimals === 'number' ? decimals : 0,
          min: number(entry.min, 1),
          max: number(entry.max, 1_000_000),
          multiplier: number(entry.multiplier, 1_000),
        },
      ]
    })
  }

  /** Commands that the VASP advertises: from the gateway's settings, else the discovery document, else `/info`. */
  async commands(client: HttpClient): Promise<readonly Command[]> {
    const named = this.target.commands ?? listOf(fieldsOf(await this.discovery(client)).nwc_commands_supported)
    const names = named ?? listOf(fieldsOf(await this.info(client)).methods) ?? []
    return COMMANDS.filter((name) => names.includes(name))
  }

  /** A value that several cases use, such as one payment. The first case that asks creates it; a failed attempt is not kept. */
  memo<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#memos.get(name)
    if (known !== undefined) return known as Promise<Value>
    const made = make()
    this.#memos.set(name, made)
    made.catch(() => this.#memos.delete(name))
    return made
  }

  /** The user's UMA address, as the login token names it. */
  async addressOf(client: HttpClient, user: UserName): Promise<string> {
    const address = decodeToken(await this.loginToken(client, user))?.claims.address
    if (typeof address === 'string' && address.includes('@')) return address
    throw new Failure('The login token names no UMA address.')
  }

  /** The `currency` of the login redirect; undefined when it cannot be read. */
  async loginCurrency(client: HttpClient): Promise<{ readonly code: string } | undefined> {
    const { returnedTo } = await this.login(client, 'first')
    try {
      const parsed = CurrencyModel.safeParse(JSON.parse(new URL(returnedTo).searchParams.get('currency') ?? ''))
      return parsed.success ? parsed.data : undefined
    } catch {
      return undefined
    }
  }
}

/** Attributes a failure to this case. */
function asSetup(caseId: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Failure && !(error instanceof SetupFailure) ? new SetupFailure(caseId, error.message) : error
  }
}

function isFresh({ token, exchanges }: Login, mostExchanges: number): boolean {
  const exp = decodeToken(token)?.claims.exp
  return exchanges < mostExchanges && (typeof exp !== 'number' || exp - nowSeconds() >= FRESH_SECONDS)
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** @throws Failure when an exchange returned no token. */
export function tokenOf(reply: Reply): string {
  const { token } = fieldsOf(reply)
  if (typeof token === 'string' && token !== '') return token
  throw new Failure(`The token exchange answered ${reply.status} without a token.`)
}

export function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
