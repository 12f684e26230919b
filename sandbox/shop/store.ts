import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { JsonFile } from '../shared/json-file'
import { Problem } from './problem'

const Role = z.enum(['customer', 'merchant'])
/** The visitor's own wallet, or the wallet that receives the shop's payments. */
export type Role = z.output<typeof Role>

/** The fields of a discovery document that the shop needs. */
const AuthServer = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  code_challenge_methods_supported: z.array(z.string()),
})
export type AuthServer = z.output<typeof AuthServer>

/** What the gateway granted by OAuth; a pasted connection has none. */
const Grant = z.object({
  server: AuthServer,
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  accessStartsAtSeconds: z.number(),
  accessEndsAtSeconds: z.number().nullable(),
  endsAtSeconds: z.number().nullable(),
  budget: z.string().nullable(),
  commands: z.array(z.string()),
})
export type Grant = Readonly<z.output<typeof Grant>>

const Connection = z.object({
  id: z.string(),
  address: z.string().nullable(),
  wallet: z.string(),
  relay: z.string(),
  otherRelays: z.array(z.string()).readonly().optional(),
  secret: z.string(),
  grant: Grant.nullable(),
})
export type Connection = Readonly<z.output<typeof Connection>>

/** The VASP's sandbox desk, or the catalogue. */
export const RETURN_PLACES = ['desk', 'catalogue'] as const
export type ReturnPlace = (typeof RETURN_PLACES)[number]

/** A login request that the browser has taken to the gateway. The browser has not returned yet. */
const PendingAuthorization = z.object({
  role: Role,
  address: z.string(),
  server: AuthServer,
  state: z.string(),
  verifier: z.string(),
  url: z.string(),
  /** Why the gateway would not show its page now; undefined when it would. */
  problem: Problem.optional(),
  /** Where the browser goes once the wallet is connected; to the page of the wallet when undefined. */
  returnsTo: z.enum(RETURN_PLACES).optional(),
  /** The visitors' wallets and orders are forgotten once the shop's own wallet is connected. */
  forgetsVisitors: z.literal(true).optional(),
})
export type PendingAuthorization = Readonly<z.output<typeof PendingAuthorization>>

const Order = z.object({
  id: z.string(),
  /** The id of the product. Files from earlier versions have this key, so it keeps its name. */
  good: z.string(),
  priceSats: z.number(),
  invoice: z.string(),
  paymentHash: z.string(),
  madeAtSeconds: z.number(),
  state: z.enum(['open', 'paying', 'paid', 'unknown']),
})
export type Order = z.output<typeof Order>

const Session = z.object({
  id: z.string(),
  seenAtSeconds: z.number(),
  customer: Connection.nullable(),
  /** Files from earlier versions have this key, so it keeps its name. */
  asking: PendingAuthorization.nullable(),
  orders: z.array(Order),
})
export type Session = z.output<typeof Session>

const State = z.object({
  merchant: Connection.nullable().default(null),
  sessions: z.record(z.string(), Session).default({}),
})

const MAX_SESSIONS = 200
const MAX_ORDERS = 20

/** The shop's data, saved after each change. */
export class Store {
  private readonly file: JsonFile<typeof State>
  private readonly state: z.output<typeof State>

  constructor(folder: string) {
    const advice = 'Move it away, and the shop starts without connections.'
    this.file = new JsonFile(join(folder, 'state.json'), State, advice)
    this.state = this.file.state
    // A payment in progress when the process ended may have gone through.
    for (const session of Object.values(this.state.sessions))
      for (const order of session.orders) if (order.state === 'paying') order.state = 'unknown'
  }

  session(id: string | undefined): Session | undefined {
    return id === undefined || !Object.hasOwn(this.state.sessions, id) ? undefined : this.state.sessions[id]
  }

  open(nowSeconds: number): Session {
    const session: Session = {
      id: randomBytes(32).toString('base64url'),
      seenAtSeconds: nowSeconds,
      customer: null,
      asking: null,
      orders: [],
    }
    this.state.sessions[session.id] = session
    const oldest = Object.values(this.state.sessions).sort((one, other) => one.seenAtSeconds - other.seenAtSeconds)
    for (const old of oldest.slice(0, -MAX_SESSIONS)) delete this.state.sessions[old.id]
    return session
  }

  /** Browsers with a cookie of before are new visitors. */
  forgetVisitors(): void {
    this.state.sessions = {}
    this.save()
  }

  connection(session: Session | undefined, role: Role): Connection | null {
    return role === 'merchant' ? this.state.merchant : (session?.customer ?? null)
  }

  setConnection(session: Session | undefined, role: Role, connection: Connection | null): void {
    if (role === 'merchant') this.state.merchant = connection
    else if (session !== undefined) session.customer = connection
    this.save()
  }

  /** All connections with their sessions. */
  connections(): { role: Role; session: Session | undefined; connection: Connection }[] {
    const customers = Object.values(this.state.sessions).map((session) => ({ session, connection: session.customer }))
    const all = [{ session: undefined, connection: this.state.merchant }, ...customers]
    return all.flatMap(({ session, connection }) =>
      connection === null
        ? []
        : [{ role: session === undefined ? 'merchant' : 'customer', session, connection } as const],
    )
  }

  addOrder(session: Session, order: Order): void {
    session.orders = [order, ...session.orders].slice(0, MAX_ORDERS)
    this.save()
  }

  save(): void {
    this.file.save()
  }
}
