import type { Database, Statement } from '@/lib/db/database'
import { FROM_THE_BEGINNING, findBreaches, readAuditMark } from '@/lib/audit/invariants'
import type { Engine } from './engines'
import { freePort, newIdentity, startInstance, type Identity, type Instance } from './instance'
import { makeCast, makePayments, type Cast, type OpenInvoice, type Person } from './people'
import { mixed, paymentRequests, reads } from './requests'

/** A server with people who read four times as often as they pay. */
export interface MixedWorld {
  readonly engine: Engine
  readonly cast: Cast
  readonly identity: Identity
  readonly port: number
  /** Four reads and a payment in turn. Sent again, a payment is told what it was the first time. */
  readonly requests: readonly string[]
  start(port?: number): Promise<Instance>
  /** The payment hash of a request by its place in the list. */
  hashAt(place: number): string
}

const PEOPLE = 50

export async function makeMixedWorld(engine: Engine, payments: number): Promise<MixedWorld> {
  const port = await freePort()
  const identity = newIdentity(port)
  const { cast, made } = await engine.withDatabase(async (db) => {
    const people = await makeCast(db, identity, PEOPLE)
    return { cast: people, made: await makePayments(people, payments) }
  })
  return {
    engine,
    cast,
    identity,
    port,
    requests: requestsOf(cast.people, made, port),
    start: (at = port) => startInstance(identity, at, engine.env),
    // Each payment follows its four reads.
    hashAt: (place) => made[Math.floor(place / READS_AND_PAYMENT)]?.invoice.paymentHash ?? '',
  }
}

/** Four reads, then a payment. */
export const READS_AND_PAYMENT = 5

function requestsOf(
  people: readonly Person[],
  made: readonly { readonly payer: Person; readonly invoice: OpenInvoice }[],
  port: number,
): string[] {
  const [balances, histories] = [reads(people, port, '/balance'), reads(people, port, '/transactions?limit=10')]
  const some = balances.flatMap((balance, index) => [balance, histories[index] ?? balance])
  return mixed(some, paymentRequests(made, port))
}

const UNFINISHED: Statement = {
  name: 'bench_unfinished',
  text: `select count(*) as open from payments where state in ('held', 'sending')`,
}
const NOT_SETTLED: Statement = {
  name: 'bench_not_settled',
  text: `select hash from unnest($1::text[]) as answered (hash)
         where not exists (select from payments where payment_hash = hash and state = 'succeeded')`,
}

/**
 * What does not hold: the invariants of the books from the first posting on, payments that were answered 200 and are not
 * settled, payments that have not ended. Empty: all is well.
 */
export async function faultsOf(db: Database, answered: readonly string[]): Promise<string[]> {
  const breaches = await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))
  const lost = await db.query<{ hash: string }>(NOT_SETTLED, [[...new Set(answered)]])
  const [row] = await db.query<{ open: bigint }>(UNFINISHED)
  return [
    ...breaches.map(({ invariant, detail }) => `${invariant}: ${detail}`),
    ...lost.map(({ hash }) => `payment ${hash} was answered 200 and is not settled`),
    ...(row?.open === 0n ? [] : [`${String(row?.open)} payments have not ended`]),
  ]
}
