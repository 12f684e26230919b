import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import type { Database } from '@/lib/platform/db/database'
import { statement } from '@/lib/platform/db/statement'
import type { Engine } from '../../bench/engines'
import { startInstance, type Identity, type Instance } from '../../bench/instance'
import { newPeers } from '../../bench/peers'
import { pay, read, type HttpRequest } from '../../bench/requests'
import { makeCast, makeInvoices, makePayments, type Cast, type OpenInvoice, type User } from './users'

/**
 * A server with users who read four times as often as they pay, and another VASP that receives a part of the payments. Those
 * payments are held and sent, and may be in progress when the server is killed or overloaded.
 */
export interface MixedWorld {
  readonly engine: Engine
  readonly cast: Cast
  readonly identity: Identity
  readonly port: number
  /** Starts an instance, and the other VASP with the first. `env`: further settings of this instance. */
  start(port?: number, env?: Readonly<Record<string, string>>): Promise<Instance>
  /**
   * The next requests, four reads and a payment in turn. Each payment is requested for the first time: a repeated one would return
   * its stored result, which costs no more than a read. When the requests run out, more are created if the database can be shared.
   */
  take(count: number): Promise<Batch>
  /** Pauses the other VASP. Payments to it stay in progress until it continues. */
  pauseOther(): void
  resumeOther(): void
  /** Stops the other VASP. */
  stop(): Promise<void>
}

export interface Batch {
  readonly requests: readonly HttpRequest[]
  /** The Host header of the requests. */
  readonly host: string
  /** The payment hash of a request, by the index of the request. */
  readonly hashAt: (place: number) => string
}

const USERS = 50
/** One of this many payments goes to the other VASP. */
const LEAVES = 10
/** Four reads, then a payment. */
const READS_AND_PAYMENT = 5

interface MadePayment {
  readonly payer: User
  readonly invoice: OpenInvoice
}

/** @param requests number of requests that are created before anything is measured. */
export async function makeMixedWorld(engine: Engine, requests: number): Promise<MixedWorld> {
  const { ours, theirs } = await newPeers()
  const otherEngine = await engine.sibling()
  const cast = await engine.withDatabase((db) => makeCast(db, ours.identity, USERS, ours.env))
  const abroad = await otherEngine.withDatabase((db) => makeCast(db, theirs.identity, 1, theirs.env))
  const supply: MadePayment[] = []
  let other: Instance | undefined

  const more = async (count: number): Promise<void> => {
    const leaving = Math.ceil(count / LEAVES)
    const inside = await engine.withDatabase((db) => makePayments(onDatabase(cast, db), count - leaving))
    const outside = await otherEngine.withDatabase((db) =>
      makeInvoices(onDatabase(abroad, db), first(abroad), leaving, 1_000n),
    )
    for (let place = 0; place < count; place++) {
      const turn = Math.floor(place / LEAVES)
      const invoice = place % LEAVES === 0 ? outside[turn] : undefined
      const payer = cast.users[turn % USERS]
      const payment = invoice === undefined || payer === undefined ? inside[place - turn - 1] : { payer, invoice }
      if (payment !== undefined) supply.push(payment)
    }
  }
  await more(Math.ceil(requests / READS_AND_PAYMENT))

  return {
    engine,
    cast,
    identity: ours.identity,
    port: ours.port,
    async start(at = ours.port, env = {}) {
      other ??= await startInstance(theirs.identity, theirs.port, { ...otherEngine.env, ...theirs.env })
      return startInstance(ours.identity, at, { ...engine.env, ...ours.env, ...env })
    },
    async take(count) {
      const payments = Math.ceil(count / READS_AND_PAYMENT)
      if (supply.length < payments) await more(payments - supply.length)
      const made = supply.splice(0, payments)
      return {
        requests: requestsOf(cast.users, made),
        host: ours.identity.domain,
        // Each payment follows its four reads.
        hashAt: (place) => made[Math.floor(place / READS_AND_PAYMENT)]?.invoice.paymentHash ?? '',
      }
    },
    pauseOther: () => void (other && process.kill(other.pid, 'SIGSTOP')),
    resumeOther: () => void (other && process.kill(other.pid, 'SIGCONT')),
    async stop() {
      await other?.stop()
      await otherEngine.stop()
    },
  }
}

/** The same users, on another database handle. */
function onDatabase(cast: Cast, db: Database): Cast {
  return { ...cast, vasp: { ...cast.vasp, app: { ...cast.vasp.app, db } } }
}

function first({ users: [user] }: Cast): User {
  if (user === undefined) throw new Error('there is no payee')
  return user
}

/** Four reads and a payment, in turn. */
function requestsOf(users: readonly User[], made: readonly MadePayment[]): HttpRequest[] {
  const reads = users.flatMap(({ token }) => [read('/balance', token), read('/transactions?limit=10', token)])
  return made.flatMap(({ payer, invoice }, turn) => [
    ...[0, 1, 2, 3].flatMap((step) => reads[(turn * 4 + step) % reads.length] ?? []),
    pay({ token: payer.token, invoice: invoice.invoice }),
  ])
}

const UNFINISHED = statement<{ open: bigint }>(
  'bench_unfinished',
  `select count(*) as open from payments where state in ('held', 'sending')`,
)
const NOT_SETTLED = statement<{ hash: string }>(
  'bench_not_settled',
  `select hash from unnest($1::text[]) as answered (hash)
         where not exists (select from payments where payment_hash = hash and state = 'succeeded')`,
)

/** How many payments are held or being sent at this moment. */
export async function openPayments(db: Database): Promise<number> {
  const [row] = await db.query(UNFINISHED)
  return Number(row?.open ?? 0)
}

/**
 * The faults: breaches of the invariants of the books since the first posting, and payments that were answered 200 but are not
 * settled. Payments in progress are not faults.
 */
export async function faultsOf(db: Database, answered: readonly string[]): Promise<string[]> {
  const breaches = await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))
  const lost = await db.query(NOT_SETTLED, [[...new Set(answered)]])
  return [
    ...breaches.map(({ invariant, detail }) => `${invariant}: ${detail}`),
    ...lost.map(({ hash }) => `payment ${hash} was answered 200 and is not settled`),
  ]
}
