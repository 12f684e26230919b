import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { JsonFile } from '../shared/json-file'
import { Cycle, Limit } from './budget'
import { Expiring } from './expiring'
import { decimals, type Login } from './login'
import { Outcome } from './outcome'
import { Exchange } from './vasp-client'

const seconds = z.number()
/** Absent in connections of earlier versions. */
const secondsOrNull = seconds.nullable().default(null)
const textOrNull = z.string().nullable().default(null)

/** The app of a connection, as its identity event described it at that time. */
const ClientApp = z.object({
  /** `<npub> <relay>` as the app gave it. */
  clientId: z.string(),
  publicKey: z.string(),
  name: z.string(),
  redirectUrls: z.array(z.string()).readonly(),
})
export type ClientApp = Readonly<z.output<typeof ClientApp>>

/**
 * A payment through a connection, with the amount of the budget that it holds or has spent, in smallest units of the
 * connection's currency.
 */
const Payment = z.object({
  id: z.string(),
  /** Id of the NWC request, so that a repeated event is not a second payment. */
  requestId: z.string(),
  command: z.string(),
  /** The call to the VASP, repeated unchanged when the outcome is unknown. */
  call: z.object({ path: z.string(), body: z.unknown() }),
  createdAtSeconds: seconds,
  sendingCurrencyCode: z.string(),
  sendingAmount: z.number(),
  receiver: z.string(),
  /** Null when none is known before the payment, and in stored payments of earlier versions. */
  paymentHash: textOrNull,
  status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
  held: z.number(),
  settled: z.number().nullable(),
  problem: z.string().nullable(),
  /** Start of the cycle with the hold; null without a limit. */
  cycleStartSeconds: seconds.nullable(),
  /** Booked when the VASP reports no total: the sending amount or the estimate. */
  fallback: z.number(),
  /** The answer to the app; absent while it is not known, and in stored payments of earlier versions. */
  outcome: Outcome.optional(),
})
export type Payment = Readonly<z.output<typeof Payment>>

const Connection = z.object({
  id: z.string(),
  sub: z.string(),
  address: z.string(),
  name: z.string(),
  /** Null for a manual connection. */
  clientApp: ClientApp.nullable().default(null),
  permissions: z.array(z.string()).readonly(),
  // Earlier versions stored longer symbols and names.
  currency: z.object({ code: z.string(), symbol: z.string(), name: z.string(), decimals }),
  createdAtSeconds: seconds,
  lastUsedAtSeconds: secondsOrNull,
  expiresAtSeconds: secondsOrNull,
  loginToken: z.string(),
  longToken: z.string(),
  /** Public key of the app's secret; null until the app has one. */
  appPublicKey: textOrNull,
  keyExpiresAtSeconds: secondsOrNull,
  /** SHA-256 of the refresh token. */
  refreshHash: textOrNull,
  /** Hashes of the refresh tokens that were exchanged, newest last; absent before the first exchange. */
  usedRefreshHashes: z.array(z.string()).readonly().optional(),
  refreshExpiresAtSeconds: secondsOrNull,
  limit: Limit.nullable().default(null),
  cycles: z.array(Cycle).readonly().default([]),
  payments: z.array(Payment).readonly().default([]),
  /** The calls of this connection, newest last; the oldest are dropped. */
  exchanges: z.array(Exchange).readonly(),
})
export type Connection = Readonly<z.output<typeof Connection>>

/** Whether a moment has come; null never comes. One rule for connections, keys and tokens. */
export function isOver(endSeconds: number | null, nowSeconds: number): boolean {
  return endSeconds !== null && endSeconds <= nowSeconds
}

/** The code of an approved app, until it is exchanged. */
const Code = z.object({
  hash: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  challenge: z.string(),
  connectionId: z.string(),
  expiresAtSeconds: seconds,
  used: z.boolean(),
})
export type Code = Readonly<z.output<typeof Code>>

const StoredQuote = z.object({
  paymentHash: z.string(),
  connectionId: z.string(),
  sendingCurrencyCode: z.string(),
  totalSendingAmount: z.number(),
})
export type StoredQuote = Readonly<z.output<typeof StoredQuote>>

const State = z.object({
  /** From `sub` to address. Both are unique, as in the public gateway's tables. */
  users: z.record(z.string(), z.string()).default({}),
  connections: z.array(Connection).default([]),
  codes: z.array(Code).default([]),
  quotes: z.array(StoredQuote).default([]),
})

const KEPT_EXCHANGES = 20
const KEPT_PAYMENTS = 200
const MAX_CONNECTIONS = 500
const MAX_OTHER_RECORDS = 500
const MAX_LOGINS = 500
const MAX_SHOWN_LENGTH = 16 * 1024
const SOON_MS = 500

/**
 * The simulator's data. Everything is stored, as in the public gateway's database, except sign-ins, which exist in memory
 * only. Every method is complete when it returns, so that no request sees the partial changes of another.
 */
export class Store {
  private readonly file: JsonFile<typeof State>
  private readonly state: z.output<typeof State>
  private readonly logins = new Expiring<Login>(MAX_LOGINS)
  private timer: NodeJS.Timeout | undefined

  constructor(folder: string) {
    const advice = 'Restore a copy, or run `npm run demo -- --reset` to start over.'
    this.file = new JsonFile(join(folder, 'state.json'), State, advice)
    this.state = this.file.state
  }

  /** @throws Error when the address is stored with another `sub`. */
  signIn(login: Login): string {
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
    this.logins.set(id, login, login.expiresAtSeconds)
    return id
  }

  /** The sign-in of a browser; undefined when there is none or its token has expired. */
  login(id: string | undefined, nowSeconds: number): Login | undefined {
    return id === undefined ? undefined : this.logins.get(id, nowSeconds)
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
    const { body, requestBody } = exchange
    const shown = { ...exchange, body: cut(body), requestBody: requestBody === null ? null : cut(requestBody) }
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
    this.file.save()
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_SHOWN_LENGTH)
}

/** The newest payments and every pending one, because its hold is part of the budget. */
function keepRecent(payments: readonly Payment[]): readonly Payment[] {
  const first = payments.length - KEPT_PAYMENTS
  return first <= 0 ? payments : payments.filter(({ status }, index) => index >= first || status === 'PENDING')
}
