import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Currency, Login } from './login'
import type { Exchange } from './vasp-client'

export interface Connection {
  readonly id: string
  readonly sub: string
  readonly address: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly currency: Currency
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number | null
  readonly loginToken: string
  readonly longToken: string
  /** Every call made for this connection, newest last, the oldest dropped. */
  readonly exchanges: readonly Exchange[]
}

interface State {
  /** `sub` to address: both unique, as the public gateway's tables have it. */
  readonly users: Record<string, string>
  readonly connections: Connection[]
}

const KEPT_EXCHANGES = 20
const MOST_CONNECTIONS = 500

/**
 * The stand-in's memory. Connections go to a JSON file that only this user can read (it holds tokens, as the public
 * gateway's database does); sign-ins live in memory and end with the process.
 */
export class Store {
  private readonly file: string
  private readonly state: State
  private readonly logins = new Map<string, Login>()

  constructor(private readonly folder: string) {
    this.file = join(folder, 'state.json')
    this.state = existsSync(this.file)
      ? (JSON.parse(readFileSync(this.file, 'utf8')) as State)
      : { users: {}, connections: [] }
  }

  /** @throws Error when the address is known under another `sub`. */
  signIn(login: Login): string {
    const other = Object.entries(this.state.users).find(
      ([sub, address]) => address === login.address && sub !== login.sub,
    )
    if (other !== undefined)
      throw new Error(`${login.address} is known here under another user id. A VASP must never change it.`)
    this.state.users[login.sub] ??= login.address
    this.save()
    const id = randomBytes(32).toString('base64url')
    this.logins.set(id, login)
    return id
  }

  /** The sign-in of a browser; undefined when there is none or its token has run out. */
  login(id: string | undefined, nowSeconds: number): Login | undefined {
    const login = id === undefined ? undefined : this.logins.get(id)
    return login !== undefined && login.expiresAtSeconds > nowSeconds ? login : undefined
  }

  signOut(id: string | undefined): void {
    if (id !== undefined) this.logins.delete(id)
  }

  add(connection: Connection): void {
    this.state.connections.unshift(connection)
    this.state.connections.splice(MOST_CONNECTIONS)
    this.save()
  }

  connectionsOf(sub: string): readonly Connection[] {
    return this.state.connections.filter((connection) => connection.sub === sub)
  }

  connection(id: string, sub: string): Connection | undefined {
    return this.state.connections.find((connection) => connection.id === id && connection.sub === sub)
  }

  record(connection: Connection, exchange: Exchange): void {
    const index = this.state.connections.indexOf(connection)
    if (index < 0) return
    this.state.connections[index] = {
      ...connection,
      exchanges: [...connection.exchanges, exchange].slice(-KEPT_EXCHANGES),
    }
    this.save()
  }

  private save(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${this.file}.new`, JSON.stringify(this.state), { mode: 0o600 })
    renameSync(`${this.file}.new`, this.file)
  }
}
