import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cycle, Limit } from './budget'
import { Expiring } from './expiring'
import type { Currency, Login } from './login'
import type { Outcome } from './outcome'
import type { Exchange } from './vasp-client'

/** The app of a connection, as its identity event described it at that time. */
export interface ClientApp {
  /** `<npub> <relay>` as the app gave it. */
  readonly clientId: string
  readonly publicKey: string
  readonly name: string
  readonly image: string | null
  readonly redirectUrls: readonly string[]
}

/**
 * A payment through a connection, with the amount of the budget that it holds or has spent, in smallest units of the
 * connection's currency.
 */
export interface Payment {
  readonly id: string
  /** Id of the NWC request, so that a repeated event is not a second payment. */
  readonly requestId: string
  readonly command: string
  /** The call to the VASP, repeated unchanged when the outcome is unknown. */
  readonly call: { readonly path: string; readonly body: unknown }
  readonly createdAtSeconds: number
  readonly sendingCurrencyCode: string
  readonly sendingAmount: number
  readonly receiver: string
  /** Null when none is known before the payment, and in stored payments of earlier versions. */
  readonly paymentHash?: string | null
  readonly status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  readonly held: number
  readonly settled: number | null
  readonly problem: string | null
  /** Start of the cycle with the hold; null without a limit. */
  readonly cycleStartSeconds: number | null
  /** Booked when the VASP reports no total: the sending amount or the estimate. */
  readonly fallback: number
  /** The answer to the app; absent while it is not known, and in stored payments of earlier versions. */
  readonly outcome?: Outcome
}

export interface Connection {
  readonly id: string
  readonly sub: string
  readonly address: string
  readonly name: string
  /** Null for a manual connection. */
  readonly clientApp: ClientApp | null
  readonly permissions: readonly string[]
  readonly currency: Currency
  readonly createdAtSeconds: number
  readonly lastUsedAtSeconds: number | null
  readonly expiresAtSeconds: number | null
  readonly loginToken: string
  readonly longToken: string
  /** Public key of the app's secret; null until the app has one. */
  readonly appPublicKey: string | null
  readonly keyExpiresAtSeconds: number | null
  /** SHA-256 of the refresh token. */
  readonly refreshHash: string | null
  /** Hashes of the refresh tokens that were exchanged, newest last; absent before the first exchange. */
  readonly usedRefreshHashes?: readonly string[]
  readonly refreshExpiresAtSeconds: number | null
  readonly limit: Limit | null
  readonly cycles: readonly Cycle[]
  readonly payments: readonly Payment[]
  /** The calls of this connection, newest last; the oldest are dropped. */
  readonly exchanges: readonly Exchange[]
}

/** The code of an approved app, until it is exchanged. */
export interface Code {
  readonly hash: string
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly connectionId: string
  readonly expiresAtSeconds: number
  readonly used: boolean
}

export interface StoredQuote {
  readonly paymentHash: string
  readonly connectionId: string
  readonly sendingCurrencyCode: string
  readonly totalSendingAmount: number
}

interface State {
  /** From `sub` to address. Both are unique, as in the public gateway's tables. */
  readonly users: Record<string, string>
  readonly connections: Connection[]
  readonly codes: Code[]
  readonly quotes: StoredQuote[]
}

const KEPT_EXCHANGES = 20
const KEPT_PAYMENTS = 200
const MAX_CONNECTIONS = 500
const MAX_OTHER_RECORDS = 500
const MAX_LOGINS = 500
const MAX_SHOWN_LENGTH = 16 * 1024
const SOON_MS = 500

/**
 * The simulator's data. Everything except sign-ins is stored in a JSON file that only this user can read, because it
 * contains tokens, as the public gateway's database does. Sign-ins exist in memory only. Every method is complete when it
 * returns, so that no request sees the partial changes of another.
 */
export class Store {
  private readonly file: string
  private readonly state: State
  private readonly logins = new Expiring<Login>(MAX_LOGINS)
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly folder: string) {
    this.file = join(folder, 'state.json')
    this.state = readState(this.file)
  }

  /** @throws Error when the address is stored with another `sub`. */
  signIn(login: Login, nowSeconds: number): string {
    const other = Object.entries(this.state.users).find(
      ([sub, address]) => address === login.address && sub !== login.sub,
    )
    if (other !== undefined)
      throw new Error(`${login.address} is known here under another user id. A VASP must never change it.`)
    if (this.state.users[login.sub] === undefined) {
      this.state.users[login.sub] = login.address
      this.save()
    }
    const id = randomBytes(32).toString('base64url')
    this.logins.set(id, login, login.expiresAtSeconds, nowSeconds)
    return id
  }

  /** The sign-in of a browser; undefined when there is none or its token has expired. */
  login(id: string | undefined, nowSeconds: number): Login | undefined {
    return id === undefined ? undefined : this.logins.get(id, nowSeconds)
  }

  get signedIn(): number {
    return this.logins.size
  }

  signOut(id: string | undefined): void {
    if (id !== undefined) this.logins.delete(id)
  }

  add(connection: Connection): void {
    this.state.connections.unshift(connection)
    this.state.connections.splice(MAX_CONNECTIONS)
    this.save()
  }

  connectionsOf(sub: string): readonly Connection[] {
    return this.state.connections.filter((connection) => connection.sub === sub)
  }

  /** The connection with this id. With `sub`: only if it belongs to that user. */
  connection(id: string, sub?: string): Connection | undefined {
    return this.state.connections.find(
      (connection) => connection.id === id && (sub === undefined || connection.sub === sub),
    )
  }

  connectionWhere(matches: (connection: Connection) => boolean): Connection | undefined {
    return this.state.connections.find(matches)
  }

  connections(): readonly Connection[] {
    return this.state.connections
  }

  /**
   * Replaces fields of the connection; undefined when it no longer exists. `soon`: the change may be lost in a crash.
   */
  change(
    id: string,
    fields: (now: Connection) => Partial<Connection>,
    when: 'now' | 'soon' = 'now',
  ): Connection | undefined {
    const index = this.state.connections.findIndex((connection) => connection.id === id)
    const now = this.state.connections[index]
    if (now === undefined) return undefined
    const changed = { ...now, ...fields(now) }
    this.state.connections[index] = {
      ...changed,
      payments: keepRecent(changed.payments),
      exchanges: changed.exchanges.slice(-KEPT_EXCHANGES),
    }
    if (when === 'now') this.save()
    else this.saveSoon()
    return this.state.connections[index]
  }

  /** For the page only, so it is not written to disk immediately. */
  record(id: string, exchange: Exchange): void {
    const shown = { ...exchange, body: exchange.body.slice(0, MAX_SHOWN_LENGTH) }
    this.change(id, (now) => ({ exchanges: [...now.exchanges, shown] }), 'soon')
  }

  addCode(code: Code): void {
    this.state.codes.unshift(code)
    this.state.codes.splice(MAX_OTHER_RECORDS)
    this.save()
  }

  code(hash: string): Code | undefined {
    return this.state.codes.find((code) => code.hash === hash)
  }

  /** True for the first caller: a code can be used only once. */
  useCode(hash: string): boolean {
    const index = this.state.codes.findIndex((code) => code.hash === hash)
    const code = this.state.codes[index]
    if (code === undefined || code.used) return false
    this.state.codes[index] = { ...code, used: true }
    this.save()
    return true
  }

  addQuote(quote: StoredQuote): void {
    this.state.quotes.unshift(quote)
    this.state.quotes.splice(MAX_OTHER_RECORDS)
    this.save()
  }

  quote(paymentHash: string, connectionId: string): StoredQuote | undefined {
    return this.state.quotes.find((each) => each.paymentHash === paymentHash && each.connectionId === connectionId)
  }

  private saveSoon(): void {
    this.timer ??= setTimeout(() => this.save(), SOON_MS).unref()
  }

  private save(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${this.file}.new`, JSON.stringify(this.state), { mode: 0o600 })
    renameSync(`${this.file}.new`, this.file)
  }
}

/** @throws Error that names the file when it cannot be read. */
function readState(file: string): State {
  const empty: State = { users: {}, connections: [], codes: [], quotes: [] }
  if (!existsSync(file)) return empty
  try {
    return { ...empty, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<State>) }
  } catch (error) {
    throw new Error(`${file} cannot be read. Restore a copy, or run \`npm run demo -- --reset\` to start over.`, {
      cause: error,
    })
  }
}

/** The newest payments and every pending one, because its hold is part of the budget. */
function keepRecent(payments: readonly Payment[]): readonly Payment[] {
  const first = payments.length - KEPT_PAYMENTS
  return first <= 0 ? payments : payments.filter(({ status }, index) => index >= first || status === 'PENDING')
}
