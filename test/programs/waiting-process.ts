import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { openDatabase } from '../../lib/platform/db/open-database'
import { makeScriptedNode } from '../lightning/scripted-node'
import { newPayer, tally } from '../vasp/leaving'
import { invoiceOf } from '../vasp/money'
import { makeTestVasp, type Answer } from '../vasp/vasp'

/** What test/programs/waiting-process.ts prints in one line of JSON. Times in milliseconds, memory in bytes. */
export interface WaitingReport {
  readonly before: P50
  readonly during: P50
  readonly after: P50
  /** Connections of the process that were in a transaction, in `LOOKS` samples. */
  readonly inTransaction: number
  /**
   * The most callers that waited for a connection of the pool, and the most connections in use while no request was
   * sent.
   */
  readonly maxQueuedForPool: number
  readonly maxBusyAtRest: number
  readonly rssGrowth: number
  readonly heapGrowth: number
  readonly statuses: Readonly<Record<number, number>>
  readonly sends: number
  readonly untilAllAnswered: number
  /** While all of the payments end at once. */
  readonly meanwhile: P50
  /** Payments that could not be ended at once. */
  readonly tripped: number
}

export interface P50 {
  readonly payment: number
  readonly balance: number
}

const USERS = 50
const EACH = 20
const LOOK_EVERY_MS = 100
const AMOUNT = 1_000n

// A process of its own for tests, so that its memory is its own: 50 users make 20 payments each, and the node hangs.
// Meanwhile two others pay each other and read their balance. Arguments: the server's URL, how many of these calls are measured each
// time, and how often the connections are looked at.
const [databaseUrl = '', calls = '', times = ''] = process.argv.slice(2)
const MEASURED = Number(calls)
const LOOKS = Number(times)
const pools = new Set<Pool>()
const poolQuery = Reflect.get(Pool.prototype, 'query') as (...args: unknown[]) => unknown
Pool.prototype.query = function (this: Pool, ...args: unknown[]) {
  pools.add(this)
  return poolQuery.apply(this, args)
} as typeof Pool.prototype.query

const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
const node = makeScriptedNode()
const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '120', RATE_LIMITS: 'on', LOG_LEVEL: 'error' }
const vasp = await makeTestVasp(db, env, undefined, node)
vasp.app.paymentWorker.keepRunning()
const [payer, payee] = [await newPayer(vasp, { SAT: 1_000_000n }), await newPayer(vasp, { SAT: 0n })]
const users = []
for (let count = 0; count < USERS; count++) users.push(await newPayer(vasp, { SAT: 1_000_000n }))
const waiting = users.map((user) => ({ user, invoices: Array.from({ length: EACH }, () => node.invoice(AMOUNT)) }))
const looker = new Client({ connectionString: databaseUrl, application_name: 'looker' })
await looker.connect()

await measure(30)
const before = await measure(MEASURED)
const memoryBefore = memory()

node.script = 'hangs'
const answering: Promise<Answer>[] = []
for (const { user, invoices } of waiting) {
  // One user after the other: the waiting is measured, not the arrival.
  for (const { invoice } of invoices) answering.push(user.pay(invoice))
  const early = Promise.race(answering).then(({ status }) => Promise.reject(new Error(`answered ${status} at once`)))
  await Promise.race([early, untilSent(answering.length)])
}
let maxQueuedForPool = 0
const watch = setInterval(() => {
  for (const pool of pools) maxQueuedForPool = Math.max(maxQueuedForPool, pool.waitingCount)
}, 5)
const during = await measure(MEASURED)
const memoryDuring = memory()
let [inTransaction, maxBusyAtRest] = [0, 0]
for (let looks = 0; looks < LOOKS; looks++) {
  await sleep(LOOK_EVERY_MS)
  const { rows } = await looker.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and application_name <> 'looker' and state like 'idle in transaction%'`,
  )
  inTransaction += rows[0]?.open ?? 0
  // The worker renews leases and looks for payments once a second, with a few statements at once.
  for (const pool of pools) maxBusyAtRest = Math.max(maxBusyAtRest, pool.totalCount - pool.idleCount)
}
clearInterval(watch)
const ended = performance.now()
for (const { paymentHash } of node.sent) await node.end(paymentHash, 'succeeded')
const [answers, meanwhile] = await Promise.all([Promise.all(answering), measure(20)])
const untilAllAnswered = performance.now() - ended
const report: WaitingReport = {
  before,
  during,
  after: await measure(MEASURED),
  inTransaction,
  maxQueuedForPool,
  maxBusyAtRest,
  rssGrowth: memoryDuring.rss - memoryBefore.rss,
  heapGrowth: memoryDuring.heap - memoryBefore.heap,
  statuses: tally(answers),
  sends: node.sent.length,
  untilAllAnswered,
  meanwhile,
  tripped: vasp.logged.filter((line) => line.includes('work on a payment failed')).length,
}
console.log(JSON.stringify(report))
await vasp.app.paymentWorker.stop()
await looker.end()
await db.close()

async function untilSent(count: number): Promise<void> {
  while (node.sent.length < count) await sleep(5)
}

/** The median of this many payments between two users, and of this many balance reads, in sequence. */
async function measure(count: number): Promise<P50> {
  const [payments, balances]: [number[], number[]] = [[], []]
  for (let index = 0; index < count; index++) {
    const { invoice } = await invoiceOf(vasp, payee.username, 'SAT', AMOUNT)
    payments.push(await timed(() => payer.pay(invoice)))
    balances.push(await timed(() => vasp.get('/balance', payer.token)))
    // Below the rate limit of a token, as users are.
    await sleep(20)
  }
  return { payment: median(payments), balance: median(balances) }
}

async function timed(work: () => Promise<{ status: number }>): Promise<number> {
  const began = performance.now()
  const { status } = await work()
  if (status !== 200) throw new Error(`answered ${status}`)
  return performance.now() - began
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function memory(): { readonly rss: number; readonly heap: number } {
  for (let count = 0; count < 3; count++) globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}
