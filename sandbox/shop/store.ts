import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuthServer } from './discovery'

/** The visitor's own wallet, or the wallet that receives the shop's payments. */
export type Role = 'customer' | 'merchant'

/** What the gateway granted by OAuth; a pasted connection has none. */
export interface Grant {
  readonly server: AuthServer
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly accessStartsAtSeconds: number
  readonly accessEndsAtSeconds: number | null
  readonly endsAtSeconds: number | null
  readonly budget: string | null
  readonly commands: readonly string[]
}

export interface Connection {
  readonly id: string
  readonly address: string | null
  readonly wallet: string
  readonly relay: string
  readonly otherRelays?: readonly string[]
  readonly secret: string
  readonly grant: Grant | null
}

/** A login request that the browser has taken to the gateway. The browser has not returned yet. */
export interface PendingAuthorization {
  readonly role: Role
  readonly address: string
  readonly server: AuthServer
  readonly state: string
  readonly verifier: string
  readonly url: string
  /** Why the gateway did not answer. Undefined when it answered. */
  readonly gatewayDown?: string
  /** The gateway failed on this request: it accepts `wss://` relays only. */
  readonly refusesRelay?: true
  /** The browser came from the VASP's sandbox desk, and returns there. */
  readonly returnsToDesk?: true
}

export type OrderState = 'open' | 'paying' | 'paid' | 'unknown'

export interface Order {
  readonly id: string
  /** The id of the product. Files from earlier versions have this key, so it keeps its name. */
  readonly good: string
  readonly priceSats: number
  readonly invoice: string
  readonly paymentHash: string
  readonly madeAtSeconds: number
  state: OrderState
}

export interface Session {
  readonly id: string
  seenAtSeconds: number
  customer: Connection | null
  /** Files from earlier versions have this key, so it keeps its name. */
  asking: PendingAuthorization | null
  orders: Order[]
}

interface State {
  merchant: Connection | null
  readonly sessions: Record<string, Session>
}

const MAX_SESSIONS = 200
const MAX_ORDERS = 20

/** The shop's data: one JSON file that only this user can read, rewritten after each change. */
export class Store {
  private readonly file: string
  private readonly state: State

  constructor(private readonly folder: string) {
    this.file = join(folder, 'state.json')
    this.state = existsSync(this.file) ? readState(this.file) : { merchant: null, sessions: {} }
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
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${this.file}.new`, JSON.stringify(this.state), { mode: 0o600 })
    renameSync(`${this.file}.new`, this.file)
  }
}

function readState(file: string): State {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as State
  } catch (error) {
    throw new Error(`${file} is not valid: move it away, and the shop starts without connections.`, { cause: error })
  }
}
