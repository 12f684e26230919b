import { COMMANDS } from 'uma-auth-vasp'
import { z } from 'zod'
import { fetchToken, signIn } from '../sandbox/shared/fetch-token'
import { newNodeSecret } from '../test/vasp/keys'
import type { Engine } from './engines'
import { identityEnv, startServer, type Identity, type Instance } from './instance'
import { newPeers } from './peers'
import { pay, post, type HttpRequest, type TokenAndInvoice } from './requests'

// One commit with two VASPs that pay each other. They are filled through HTTP, as an app would, so that a commit with other tables
// and modules can be measured too.

export interface User {
  readonly username: string
  readonly token: string
}

/** A running VASP. */
export interface Vasp {
  readonly identity: Identity
  readonly env: Readonly<Record<string, string>>
  readonly engine: Engine
  readonly server: Instance
  readonly users: readonly User[]
}

export interface Side {
  /** The folder of the built commit. */
  readonly root: string
  readonly home: Vasp
  readonly abroad: Vasp
  /** A test user with a history, who is signed in. */
  readonly reader: User & { readonly cookie: string }
  /** Fills the history of the reader, once. */
  fillHistory(): Promise<void>
  stop(): Promise<void>
}

export interface SideOptions {
  /** How many temporary users there are, for `/login`; the first ones make calls. 0 for a commit that has none. */
  readonly temporaryUsers: number
}

export const READER = 'bob'
export const HISTORY = 1_000
/** Worth at least one unit of each currency that a test user has. */
export const PAYMENT_MSATS = 10_000
/** As many temporary users make calls. */
export const CALLERS = 16
/** The test users with money of each commit. They pay if there are no temporary users. */
const SEEDED = [READER, 'alice', 'yuki', 'khalid']
const PASSWORD = 'sandbox'
const NAMES = { home: 'Northbank', abroad: 'Southbank' } as const
const GATEWAY = 'http://localhost:8080'
const AT_ONCE = 8
const ANSWER_MS = 30_000
const PERMISSIONS = COMMANDS.map(({ name }) => name)

export async function startSide(engine: Engine, root: string, { temporaryUsers }: SideOptions): Promise<Side> {
  const { ours, theirs } = await newPeers()
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each()
  }
  const startVasp = async (place: keyof typeof NAMES, users: number): Promise<Vasp> => {
    const [own, other] = place === 'home' ? [ours, theirs] : [theirs, ours]
    const database = await engine.sibling()
    stops.push(() => database.stop())
    const env = {
      ...identityEnv(own.identity),
      ...own.env,
      ...database.env,
      ...umaEnv(other.identity.domain),
      VASP_NAME: NAMES[place],
      SANDBOX_PASSWORD: PASSWORD,
      GATEWAY_ROOT_URL: GATEWAY,
    }
    const server = await startServer(root, own.port, env)
    stops.push(() => server.stop())
    const vasp = { identity: own.identity, env, engine: database, server }
    const temporary = await createUsers(vasp, users)
    const names = temporary.length > 0 ? temporary : SEEDED.map((username) => ({ username, password: PASSWORD }))
    const withToken = names
      .slice(0, CALLERS)
      .map(async (user) => ({ ...user, token: await tokenOf(vasp, place, user) }))
    return { ...vasp, users: await Promise.all(withToken) }
  }
  try {
    const abroad = await startVasp('abroad', Math.min(temporaryUsers, CALLERS))
    const home = await startVasp('home', temporaryUsers)
    const bob = { username: READER, password: PASSWORD }
    const reader = {
      username: READER,
      token: await tokenOf(home, 'home', bob),
      cookie: await signIn({ vaspOrigin: home.identity.publicOrigin, instance: NAMES.home.toLowerCase(), ...bob }),
    }
    let history: Promise<void> | undefined
    return { root, home, abroad, reader, fillHistory: () => (history ??= addHistory(home, reader)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns the users; none if the commit creates no users by HTTP. */
async function createUsers(
  vasp: Pick<Vasp, 'identity'>,
  count: number,
): Promise<{ username: string; password: string }[]> {
  const NewUser = z.object({ username: z.string(), password: z.string() })
  const made = await inParallel(count, async () => {
    const answer = await fetch(`${vasp.identity.publicOrigin}/sandbox/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ currencies: ['SAT'] }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return answer.status === 201 ? [NewUser.parse(await answer.json())] : []
  })
  return made.flat()
}

function tokenOf(
  vasp: Pick<Vasp, 'identity'>,
  place: keyof typeof NAMES,
  user: { username: string; password: string },
) {
  return fetchToken({
    vaspOrigin: vasp.identity.publicOrigin,
    gatewayRootUrl: GATEWAY,
    instance: NAMES[place].toLowerCase(),
    ...user,
    permissions: PERMISSIONS,
  })
}

/** Half of the rows are incoming and half outgoing. */
async function addHistory(home: Vasp, reader: User): Promise<void> {
  const others = home.users.filter(({ username }) => username !== reader.username)
  const incoming = await makeInvoices(home, { payees: [reader], payers: others }, HISTORY / 2)
  const outgoing = await makeInvoices(home, { payees: others, payers: [reader] }, HISTORY / 2)
  const all = incoming.flatMap((each, index) => [each, outgoing[index] ?? each])
  await inParallel(all.length, (index) => call(home, pay(all[index] ?? { token: '', invoice: '' })))
}

/** Creates invoices of the payees in turn, each with the token of the user who pays it. */
export async function makeInvoices(
  vasp: Vasp,
  { payees, payers }: { readonly payees: readonly User[]; readonly payers: readonly User[] },
  count: number,
): Promise<TokenAndInvoice[]> {
  const Invoice = z.object({ invoice: z.string() })
  return inParallel(count, async (index) => {
    const payee = payees[index % payees.length]
    const payer = payers[(index + Math.floor(payers.length / 2)) % payers.length]
    const body = { amount: PAYMENT_MSATS, description: 'Measured' }
    const { invoice } = Invoice.parse(await call(vasp, post('/invoice', payee?.token ?? '', body)))
    return { token: payer?.token ?? '', invoice }
  })
}

/** Sends one request and reads its answer. */
export async function call(vasp: Vasp, { method, path, headers, body }: HttpRequest): Promise<unknown> {
  const answer = await fetch(`${vasp.identity.publicOrigin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`)
  return answer.json()
}

/** Calls `work` for 0, 1, … `count - 1`, a few at a time. */
export async function inParallel<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

function umaEnv(peer: string): Record<string, string> {
  return { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret(), UMA_LOCAL_PEERS: peer }
}
