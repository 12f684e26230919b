import type { KeyObject } from 'node:crypto'
import type { Browser } from './browser.ts'
import type { HttpClient, HttpRequest, Reply } from './http.ts'
import type { InfoCurrency, Session } from './session.ts'
import type { UserName } from './sign-in.ts'
import type { Target } from './target.ts'
import type { UmaSender } from './uma-sender.ts'
import { NEEDS, NotApplicable, NotRun } from './verdict.ts'

export interface ApiRequest {
  readonly method?: string
  /** Below the API base, with the query. */
  readonly path: string
  /** A connection token, any other token, or null for none. The first user's connection token when absent. */
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** A payment may take longer than other calls. */
  readonly isPayment?: boolean
}

/** The tools of a case. Its requests are recorded for the report. */
export class CaseContext {
  readonly session: Session
  readonly client: HttpClient

  constructor(session: Session, client: HttpClient) {
    this.session = session
    this.client = client
  }

  get target(): Target {
    return this.session.target
  }

  get signingKey(): KeyObject {
    const { signingKey } = this.session.options
    if (signingKey === undefined) throw new NotRun(`needs ${NEEDS['signing-key']}`)
    return signingKey
  }

  get umaSender(): UmaSender {
    const { umaSender } = this.session.options
    if (umaSender === undefined) throw new NotRun(`needs ${NEEDS['uma-listener']}`)
    return umaSender
  }

  send(request: HttpRequest): Promise<Reply> {
    return this.client.send(request)
  }

  /** A call to the gateway API, with the headers that the public gateway sends. */
  async api(request: ApiRequest): Promise<Reply> {
    const { method = 'GET', path, body, headers = {}, isPayment = false } = request
    const token = request.token === undefined ? await this.connectionToken() : request.token
    return this.client.send({
      method,
      url: `${this.target.api}${path}`,
      headers: {
        'Content-Type': 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(isPayment ? { seconds: this.session.options.paymentSeconds } : {}),
    })
  }

  loginToken(user: UserName = 'first'): Promise<string> {
    return this.session.loginToken(this.client, user)
  }

  connectionToken(user: UserName = 'first', permissions?: readonly string[]): Promise<string> {
    return this.session.connectionToken(this.client, user, permissions)
  }

  /** The signed-in browser of the first user. */
  async browser(): Promise<Browser> {
    const { browser } = await this.session.login(this.client, 'first')
    if (browser === undefined) throw new NotRun(`needs ${NEEDS.browser}`)
    return browser
  }

  currencies(user: UserName = 'first'): Promise<InfoCurrency[]> {
    return this.session.currencies(this.client, user)
  }

  /** The first currency of `/info`. */
  async defaultCurrency(user: UserName = 'first'): Promise<InfoCurrency> {
    const [first] = await this.currencies(user)
    if (first === undefined) throw new NotApplicable('GET /info names no currency')
    return first
  }
}

export function queryOf(values: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString()
}
