import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Application } from '@/lib/backend/application'
import { NO_EVENTS } from '@/lib/events/recorder'
import { openHouseAccounts, openNodeAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/ledger/rate-snapshot'
import type { LightningNode, NodeEvent, OutgoingPayment, SendOutcome } from '@/lib/lightning/node'
import { makePaymentWorker } from '@/lib/payments/worker'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import type { Log } from '@/lib/platform/log'
import { describeOnPostgres, openMigrated } from '../databases/databases'
import { SEED } from '../runners/chance'
import { REMOTE_KEY } from './cast'
import { Breach, checkAnswer, checkEnd, checkRows } from './invariants'
import { makeSimulatedNode, PORT_CONSTANTS, type SimulatedNode } from './node'
import { answerOf, askedBy, carryOut, paperOf, type Answer, type Stage } from './operations'
import { NO_BUG, PLANTED, plantedPorts, type PlantedBug, type PlantedPorts } from './planted-bugs'
import { findOf, TRIES } from './planted-finds'
import { ledgerOf } from './report'
import type { AccountRow, Books, EntryRow, InvoiceRow, PaymentRow, PostingRow, ReceiptRow, WalletRow } from './rows'
import { schedules, type Schedule } from './schedule'
import { settle } from './settlers'
import { describe as text } from './world'

/**
 * Plants a bug of SQL in a database that is deleted afterwards, and drops the named guards.
 * @throws Error when a pattern does not occur exactly once, because the bug would not be planted.
 */
async function plantSql(db: Database, { number, sql }: PlantedBug): Promise<void> {
  for (const [name, changes] of Object.entries(sql?.functions ?? {})) {
    const [row] = await db.query<{ definition: string }>(
      {
        name: 'planted_function',
        text: `select pg_get_functiondef(oid) as definition from pg_proc where proname = $1`,
      },
      [name],
    )
    let definition = row?.definition ?? ''
    for (const [pattern, replacement] of changes) {
      const times = definition.match(new RegExp(pattern, 'g'))?.length ?? 0
      if (times !== 1) throw new Error(`planted bug ${number}: ${pattern} occurs ${times} times in ${name}`)
      definition = definition.replace(pattern, replacement)
    }
    await db.query({ name: `plant_${number}_${name}`, text: definition })
  }
  for (const [index, statement] of (sql?.unguarded ?? []).entries())
    await db.query({ name: `unguard_${number}_${index}`, text: statement })
}

// S3: the scenarios of S2 on a real server, many at once, on two instances with their own connections. The server alone
// decides the order, so nothing can be replayed, and every fault that is found can really happen inside a statement.

interface Scenario {
  readonly schedule: Schedule
  readonly stage: Stage
}

interface BatchResult {
  readonly breach: Breach | undefined
  readonly scenario: Scenario | undefined
  readonly crashes: number
  readonly statements: number
}

const silent = { error: () => {}, warn: () => {}, info: () => {} } as unknown as Log
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const never = new Promise<never>(() => {})

/** The same seed gives the same numbers. Their timing on the server differs. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn()
}

async function runBatch(db: Database, size: number, seed: number, plant: PlantedPorts = NO_BUG): Promise<BatchResult> {
  const roll = dice(seed)
  const constants = {
    house: await openHouseAccounts(db),
    nodeAccounts: await openNodeAccounts(db, [REMOTE_KEY]),
    rates: await openRates(db),
  }
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const drawn = fc.sample(schedules, { numRuns: size, seed })
  const wanted = drawn.map((_, index) => ({ mark: `${seed}-${index}`, own: [0, 1, 2, 3] }))
  const stages = await settle(db, constants.house, wanted, nowMs)
  const scenarios = drawn.flatMap((schedule, index): Scenario[] => {
    const stage = stages[index]
    return stage === undefined ? [] : [{ schedule, stage }]
  })
  const preimages = new Map(
    scenarios.flatMap(({ stage }) => stage.foreign.map(({ hash, preimage }) => [hash, preimage] as const)),
  )
  const node = makeSimulatedNode({
    fates: scenarios.flatMap(({ schedule }) => schedule.fates),
    feeQuarters: roll(5),
    refuses: roll(2) === 0,
    preimageOf: (hash) => preimages.get(hash),
  })
  const counts = { crashes: 0, statements: 0 }
  const hanging: { readonly sendId: bigint; readonly resolve: (outcome: SendOutcome) => void }[] = []

  function makeInstance(name: string) {
    const life = { ended: false, end: (): void => {} }
    const death = new Promise<undefined>((resolve) => (life.end = () => resolve(undefined)))
    const listeners = new Set<(event: NodeEvent) => Promise<void>>()
    const lost = (): Error => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
    const port = {
      kind: 'postgres',
      async query(statement: Statement, params: readonly unknown[] = []) {
        if (life.ended) return never
        const fate = roll(60)
        if (fate === 0) throw lost()
        counts.statements += 1
        const rows = await db.query(statement, params)
        if (life.ended) return never
        if (fate === 1) throw lost()
        return rows
      },
      listen: () => Promise.resolve(),
    } as unknown as Database
    const lightning: LightningNode = {
      ...PORT_CONSTANTS,
      async send(payment: OutgoingPayment) {
        if (life.ended) return never
        await turns(roll(6))
        const outcome = node.send(payment)
        if (outcome !== 'hangs') return outcome
        return new Promise((resolve) => void hanging.push({ sendId: payment.sendId, resolve }))
      },
      async track({ sendId }) {
        await turns(roll(3))
        return life.ended ? never : node.track(sendId)
      },
      listen(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
    const ports = {
      ...constants,
      ...plant.wrap({ db: port, node: lightning, rates: constants.rates }),
      log: silent,
      // A late success would stop the payments of every scenario here.
      audit: { state: () => 'ok', report: () => {}, refusePaymentsAfterBreach: () => {} },
      events: NO_EVENTS,
      ids: { uuid: () => name },
      settings: { paymentWaitSeconds: 30, maxOpenPaymentsPerUser: 20 },
      clock: { now: () => new Date() },
    } as unknown as Application
    const app: Application = { ...ports, paymentWorker: makePaymentWorker(ports) }
    const kill = (): void => {
      life.ended = true
      life.end()
    }
    return { name, app, listeners, death, kill }
  }

  const instances = [makeInstance(`${seed} a`), makeInstance(`${seed} b`)]
  const tell = (event: NodeEvent): void => {
    for (const { listeners } of instances)
      // An event that could not be booked is delivered again at the end.
      for (const listener of listeners) void listener(event).catch(() => {})
  }
  const endSome = (most: number): void => {
    for (const sendId of node.inProgress().slice(0, most)) {
      const event = node.end(sendId)
      for (const each of hanging.filter((one) => one.sendId === sendId)) each.resolve(node.outcomeOf(sendId))
      tell(event)
    }
  }

  const answers: { readonly scenario: Scenario; readonly answer: Answer }[] = []
  const requests = scenarios.flatMap((scenario) =>
    scenario.schedule.operations.map(async ({ operation, on }) => {
      await turns(roll(12))
      if (operation.kind === 'receive') {
        const paper = operation.invoice === 4 ? scenario.stage.foreign[0] : paperOf(scenario.stage, operation)
        const amountMsats = (paper?.amountMsats ?? 1_000n) + BigInt(operation.more)
        const event = paper && node.receive({ paymentHash: paper.hash, amountMsats, account: REMOTE_KEY })
        if (event !== undefined) for (const each of [event, event]) tell(each)
        return
      }
      const asked = askedBy(scenario.stage, operation)
      const ask = async (instance: (typeof instances)[number] | undefined): Promise<void> => {
        if (instance === undefined) return
        const run = answerOf(
          asked,
          plant.during(asked, () => carryOut(instance.app, scenario.stage, operation)),
        )
        const answer = await Promise.race([instance.death, run])
        if (answer !== undefined) answers.push({ scenario, answer })
      }
      // Every other request is sent to both instances at the same instant.
      await Promise.all(roll(2) === 0 ? [ask(instances[on])] : instances.map(ask))
    }),
  )
  let running = true
  const all = Promise.all(requests).then(() => (running = false))
  const usernames = scenarios.flatMap(({ stage }) => stage.users)
  for (let round = 0; round < 60; round++) {
    await turns(10 + roll(30))
    endSome(roll(4))
    if (round % 4 === 1 && counts.crashes < 6) {
      const place = roll(2)
      instances[place]?.kill()
      instances[place] = makeInstance(`${seed} ${round}`)
      counts.crashes += 1
      for (const event of node.emitted)
        for (const listener of instances[place]?.listeners ?? []) void listener(event).catch(() => {})
    }
    if (round > 12) endSome(Infinity)
    await goOn(db, usernames)
    await Promise.all(instances.map(({ app }) => app.paymentWorker.reconcile().catch(() => {})))
    if (round > 12 && !running && (await isQuiet(db, usernames))) break
  }
  // Repeats all events, as for a new listener: each is booked once.
  await Promise.all(
    node.emitted.flatMap((event) =>
      [...(instances[0]?.listeners ?? [])].map((listener) => retried(() => listener(event))),
    ),
  )
  for (const { kill } of instances) kill()
  await Promise.race([all, turns(1)])

  const found = await judge(db, scenarios, answers, node)
  return { ...counts, breach: found?.breach, scenario: found?.scenario }
}

async function retried(run: () => Promise<void>): Promise<void> {
  for (let times = 0; times < 5; times++) {
    try {
      return await run()
    } catch {
      // The connection was lost, so the request is repeated.
    }
  }
}

/** Lets the leases of dead instances expire, and a minute pass since a node did not find a payment. */
async function goOn(db: Database, usernames: readonly string[]): Promise<void> {
  await db.query(
    {
      name: 'simulated_patience',
      text: `update payments set lease_expires_at = now() - interval '1 second', not_found_at = not_found_at - interval '30 seconds'
             where id in (select id from payments where user_id = any($1) and node_key is not null and state in ('held', 'sending')
                          for update skip locked)`,
    },
    [usernames],
  )
}

async function isQuiet(db: Database, usernames: readonly string[]): Promise<boolean> {
  const [row] = await db.query<{ open: bigint }>(
    {
      name: 'simulated_open',
      text: `select count(*) as open from payments where user_id = any($1) and state in ('held', 'sending')`,
    },
    [usernames],
  )
  return row?.open === 0n
}

async function judge(
  db: Database,
  scenarios: readonly Scenario[],
  answers: readonly { readonly scenario: Scenario; readonly answer: Answer }[],
  node: SimulatedNode,
): Promise<{ readonly breach: Breach; readonly scenario: Scenario | undefined } | undefined> {
  const known = new Set<bigint>()
  const all = await readBooks(
    db,
    scenarios.flatMap(({ stage }) => stage.users),
  )
  for (const scenario of scenarios) {
    try {
      const books = booksOf(all, scenario.stage.users)
      const mine = new Set(books.payments.map(({ id }) => id))
      for (const id of mine) known.add(id)
      checkRows(books)
      checkEnd(books, node, (id) => mine.has(id))
      for (const { scenario: whose, answer } of answers) if (whose === scenario) checkAnswer(books, answer, undefined)
    } catch (error) {
      if (error instanceof Breach) return { breach: error, scenario }
      throw error
    }
  }
  for (const id of node.sends.keys())
    if (!known.has(id))
      return {
        breach: new Breach('N7', `the node made a send ${id} that is no payment`, undefined),
        scenario: undefined,
      }
  return undefined
}

const BATCHES = Number(process.env.SIMULATE_BATCHES ?? 42)
const SIZE = 25
const MAX_BATCHES = 40

describeOnPostgres('the scenarios on a real server', (server) => {
  let db: Database
  beforeAll(async () => {
    db = await openMigrated(server)
  })
  afterAll(() => db.close())

  it(`keeps every invariant in ${BATCHES * SIZE} scenarios, ${SIZE} at a time, on two instances that are killed`, async () => {
    const startedAt = performance.now()
    const totals = { crashes: 0, statements: 0 }
    for (let batch = 0; batch < BATCHES; batch++) {
      const { breach, scenario, crashes, statements } = await runBatch(db, SIZE, SEED + batch)
      totals.crashes += crashes
      totals.statements += statements
      if (breach !== undefined)
        throw new Error(
          [
            breach.message,
            `Seed ${SEED}, batch ${batch}. This command sends the same requests, in the order of the server's timing:`,
            `npm run simulate -- --seed ${SEED}`,
            text(scenario?.schedule),
            ...(breach.books ? ledgerOf(breach.books) : []),
          ].join('\n'),
        )
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(
      `S3: SEED=${SEED}, ${BATCHES * SIZE} scenarios, ${totals.crashes} crashes, ${totals.statements} statements, ${seconds} s`,
    )
  })
})

describeOnPostgres('Bugs planted in SQL', (server) => {
  const found: string[] = []
  afterAll(() =>
    console.log(
      `Planted bugs found on a real server, and within how many scenarios (median of ${TRIES} seeds):\n${found.join('\n')}`,
    ),
  )

  /** Each try has its own database, so that no try finds the damage of another. */
  async function tryToFind(
    bug: PlantedBug,
    seed: number,
  ): Promise<{ readonly scenarios: number; readonly breach: Breach }> {
    const db = await openMigrated(server)
    try {
      await plantSql(db, bug)
      const planted = plantedPorts(bug)
      for (let batch = 1; batch <= MAX_BATCHES; batch++) {
        const { breach } = await runBatch(db, SIZE, seed + batch, planted)
        if (breach === undefined) continue
        if (bug.ports !== undefined)
          expect(planted.times(), 'times that the bug has changed something').toBeGreaterThan(0)
        return { scenarios: batch * SIZE, breach }
      }
      return expect.fail(`not found in ${MAX_BATCHES * SIZE} scenarios`)
    } finally {
      await db.close()
    }
  }

  it.each(PLANTED.filter(({ sql }) => sql !== undefined))('finds planted bug $number: $title', async (bug) => {
    const needed: number[] = []
    const how = new Set<string>()
    for (let round = 0; round < TRIES; round++) {
      const { scenarios, breach } = await tryToFind(bug, SEED + round * MAX_BATCHES)
      needed.push(scenarios)
      how.add(breach.invariant)
    }
    found.push(findOf(bug, needed, how))
  })
})

/**
 * The accounts of some wallets and all of the operator's. Each query uses its own index: with one `or` condition, PostgreSQL read
 * every account, and a test creates many thousands.
 */
function accountsOf(wallets: string): string {
  const columns = 'id, kind, currency_code, wallet_id, node_key, balance'
  return `select * from (
            select ${columns} from ledger_accounts where wallet_id in (${wallets})
            union all select ${columns} from ledger_accounts where wallet_id is null and node_key is null
            union all select ${columns} from ledger_accounts where node_key is not null
          ) accounts order by id`
}

/** The database's rows of some users: all their rows, every entry that touches them, and the operator's side of each. */
async function readBooks(db: Database, usernames: readonly string[]): Promise<Books> {
  const mine = `select id from wallets where user_id = any($1)`
  const entries = `select entry_id from postings where account_id in (select id from ledger_accounts where wallet_id in (${mine}))
                   union select id from journal_entries where payment_id in (select id from payments where user_id = any($1))`
  const read = <Row>(name: string, sql: string): Promise<Row[]> =>
    db.query<Row>({ name: `books_${name}`, text: sql }, [usernames])
  return {
    wallets: await read<WalletRow>(
      'wallets',
      `select id, user_id, currency_code, position from wallets where user_id = any($1) order by id`,
    ),
    accounts: await read<AccountRow>('accounts', accountsOf(mine)),
    entries: await read<EntryRow>(
      'entries',
      `select id, kind, idempotency_key, payment_id, incoming_payment_id from journal_entries where id in (${entries}) order by id`,
    ),
    postings: await read<PostingRow>(
      'postings',
      `select id, entry_id, account_id, currency_code, amount, balance_after from postings where entry_id in (${entries}) order by id`,
    ),
    payments: await read<PaymentRow>(
      'payments',
      `select id, payment_hash, invoice, user_id, wallet_id, node_key, amount_msats, network_fee_msats, fee_limit_msats, debit, state,
              preimage, failure, keysend_preimage, idempotency_key, lease_owner
       from payments where user_id = any($1) order by id`,
    ),
    invoices: await read<InvoiceRow>(
      'invoices',
      `select id, payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, settled_at is not null as settled,
              received_msats, credited
       from invoices where user_id = any($1) order by id`,
    ),
    receipts: await read<ReceiptRow>(
      'receipts',
      `select id, payment_hash, node_key, amount_msats, invoice_id from incoming_payments
       where payment_hash in (select payment_hash from invoices where user_id = any($1)) order by id`,
    ),
  }
}

/** Selects the books of some users from those of many, as `readBooks` would return them. One read is enough for all users. */
function booksOf(books: Books, usernames: readonly string[]): Books {
  const users = new Set(usernames)
  const wallets = books.wallets.filter((each) => users.has(each.user_id))
  const walletIds = new Set(wallets.map(({ id }) => id))
  const accounts = books.accounts.filter((each) => each.wallet_id === null || walletIds.has(each.wallet_id))
  const theirs = new Set(accounts.filter((each) => each.wallet_id !== null).map(({ id }) => id))
  const payments = books.payments.filter((each) => users.has(each.user_id))
  const paymentIds = new Set(payments.map(({ id }) => id))
  const touched = new Set(books.postings.filter((each) => theirs.has(each.account_id)).map((each) => each.entry_id))
  const entries = books.entries.filter(
    ({ id, payment_id }) => touched.has(id) || (payment_id !== null && paymentIds.has(payment_id)),
  )
  const entryIds = new Set(entries.map(({ id }) => id))
  const invoices = books.invoices.filter((each) => users.has(each.user_id))
  const hashes = new Set(invoices.map((each) => each.payment_hash))
  return {
    wallets,
    accounts,
    entries,
    postings: books.postings.filter((each) => entryIds.has(each.entry_id)),
    payments,
    invoices,
    receipts: books.receipts.filter((each) => hashes.has(each.payment_hash)),
  }
}
