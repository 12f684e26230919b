import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { Database, Statement } from '@/lib/db/database'
import { sqlState } from '@/lib/db/sql-state'
import type { Deps } from '@/lib/deps'
import { openPeerAccounts, readHouseAccounts } from '@/lib/ledger/accounts'
import type { LightningNode, NodeEvent } from '@/lib/lightning/node'
import type { Log } from '@/lib/log'
import { openRates } from '@/lib/money/rate-snapshot'
import { makePaymentWorker } from '@/lib/payments/worker'
import { describeOnBothEngines } from '../databases'
import { OUR_KEY, PEOPLE, REMOTE_KEY, makePapers } from './cast'
import { makeSimulatedNode } from './node'
import { answerOf, askedBy, carryOut, paperOf, type Stage } from './operations'
import { accountsOf, readBooks, type AccountRow, type Books, type WalletRow } from './rows'
import { schedules, type Schedule } from './schedule'
import { SEED } from './seed'
import { describe as text } from './world'
import { makeTwin, type Twin } from './twin'

// The twin beside SQL: random histories run through the real code, each statement on both, and every answer and all rows
// at the end are equal. What the simulation shows on the twin is shown of SQL by this.

/** The embedded database prepares no statement and takes four times as long: a real server carries nearly all of them. */
const HISTORIES = Number(process.env.SIMULATE_HISTORIES ?? 2_000)
const ON_EMBEDDED = Math.floor(HISTORIES / 32)
const silent = { error: () => {}, warn: () => {}, info: () => {} } as unknown as Log

/** The database of the tests that are running. */
let db: Database

const PATIENCE: Statement = {
  name: 'simulated_patience',
  text: `update payments set claimed_until = claimed_until - interval '20 seconds'
         where user_id = any($1) and claimed_until is not null`,
}

/** Each statement on both, one after the other; what they answer is equal, or this throws. */
function inStep(twin: Twin, counts: { statements: number }): Database {
  let queue: Promise<unknown> = Promise.resolve()
  const drawsPayment = new Set(['hold_payment', 'settle_internal_payment', 'settle_internal_keysend'])
  async function both(statement: Statement, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    counts.statements += 1
    if (statement === PATIENCE) {
      twin.age(20_000)
      return db.query(statement, params)
    }
    const real = await outcomeOf(() => db.query(statement, params))
    if (drawsPayment.has(statement.name)) twin.nextPaymentId = await lastPayment(twin)
    const twins = await outcomeOf(() => Promise.resolve(twin.execute(statement.name, params).rows))
    const [theirs, sql] = [text(withoutEntry(twins)), text(withoutEntry(real))]
    if (theirs !== sql) throw new Error(`${statement.name} ${text(params)}\n  SQL:  ${sql}\n  twin: ${theirs}`)
    if ('error' in real) throw real.error
    return real.rows
  }
  return {
    kind: 'embedded',
    query(statement: Statement, params: readonly unknown[] = []) {
      const mine = queue.then(() => both(statement, params))
      queue = mine.catch(() => undefined)
      return mine
    },
    listen: () => Promise.resolve(),
  } as unknown as Database
}

type Outcome =
  | { readonly rows: Record<string, unknown>[] }
  | { readonly error: unknown; readonly state: string | undefined; readonly constraint: unknown }

async function outcomeOf(run: () => Promise<Record<string, unknown>[]>): Promise<Outcome> {
  try {
    return { rows: await run() }
  } catch (error) {
    return { error, state: sqlState(error), constraint: (error as { constraint?: unknown }).constraint }
  }
}

/** Entries are numbered by each side for itself, and the words of an error are its own. */
function withoutEntry(outcome: Outcome): unknown {
  if ('error' in outcome) return { state: outcome.state, constraint: outcome.constraint }
  // Those of one claim come in no certain order.
  return outcome.rows
    .map((row) =>
      text(
        Object.entries(row)
          .filter(([key]) => key !== 'entry_id' && key !== 'post_entry')
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
    .sort()
}

/** The id that SQL drew last, or the next one where it drew none. */
async function lastPayment(twin: Twin): Promise<bigint> {
  const [row] = await db.query<{ last: bigint | null }>({
    name: 'last_payment',
    text: `select max(id) as last from payments`,
  })
  const last = row?.last ?? 0n
  return twin.payment(last) === undefined ? last : last + 1n
}

/** Rows without the ids that each side draws for itself. */
function comparable(books: Books, people: readonly string[]): unknown {
  const mine = books.wallets.filter(({ user_id }) => people.includes(user_id))
  const walletIds = new Set(mine.map(({ id }) => id))
  const ids = new Set(books.accounts.filter((each) => walletIds.has(each.wallet_id ?? -1n)).map(({ id }) => id))
  const entries = new Map(books.entries.map((each) => [each.id, each.idempotency_key]))
  const touched = new Set(books.postings.filter((each) => ids.has(each.account_id)).map((each) => each.entry_id))
  const invoices = books.invoices.filter(({ user_id }) => people.includes(user_id))
  return {
    balances: books.accounts
      .filter(({ id }) => ids.has(id))
      .map(({ id, balance }) => `${id} ${balance}`)
      .sort(),
    postings: books.postings
      .filter((each) => touched.has(each.entry_id))
      .map(
        (each) =>
          `${entries.get(each.entry_id)} ${each.account_id} ${each.amount} ${ids.has(each.account_id) ? each.balance_after : ''}`,
      )
      .sort(),
    payments: books.payments
      .filter(({ user_id }) => people.includes(user_id))
      .map((each) =>
        text([
          each.id,
          each.payment_hash,
          each.invoice,
          each.wallet_id,
          each.peer,
          each.amount_msats,
          each.fee_msats,
          each.fee_limit_msats,
          each.debit,
          each.state,
          each.preimage,
          each.failure,
          each.keysend_preimage,
          each.idempotency_key,
          each.claimed_by,
        ]),
      )
      .sort(),
    invoices: invoices
      .map((each) =>
        text([each.payment_hash, each.invoice, each.wallet_id, each.settled, each.received_msats, each.credited]),
      )
      .sort(),
    receipts: books.receipts
      .filter((each) => invoices.some(({ payment_hash }) => payment_hash === each.payment_hash))
      .map((each) => `${each.payment_hash} ${each.amount_msats} ${each.invoice_id === null}`)
      .sort(),
  }
}

describeOnBothEngines('The twin', (database) => {
  beforeAll(() => {
    db = database()
  })

  it(`says the same as SQL in random histories, ${HISTORIES} in all, statement for statement and row for row`, async () => {
    const histories = db.kind === 'embedded' ? ON_EMBEDDED : HISTORIES - ON_EMBEDDED
    const startedAt = performance.now()
    const counts = { statements: 0 }
    const house = await readHouseAccounts(db)
    const constants = { house, peers: await openPeerAccounts(db, [REMOTE_KEY]), rates: await openRates(db) }
    const nowMs = Math.floor(Date.now() / 1000) * 1000
    for (const [index, schedule] of fc.sample(schedules, { numRuns: histories, seed: SEED }).entries())
      await history(schedule, `h${index}`, nowMs, constants, counts)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(
      `Differential, ${db.kind}: SEED=${SEED}, ${histories} histories, ${counts.statements} statements on both sides, ${seconds} s`,
    )
  })
})

async function history(
  schedule: Schedule,
  mark: string,
  nowMs: number,
  constants: Pick<Deps, 'house' | 'peers' | 'rates'>,
  counts: { statements: number },
): Promise<void> {
  const twin = makeTwin(nowMs)
  twin.now = () => Date.now()
  const people = Object.keys(PEOPLE).map((name) => `${name}-${mark}`)
  const stage: Stage = { mark, people, ...makePapers(mark, people, nowMs) }
  const wallets: WalletRow[] = []
  for (const [name, balances] of Object.entries(PEOPLE))
    wallets.push(
      ...(await db.query<WalletRow>(
        {
          name: 'simulated_person',
          text: `with person as (insert into users (id, display_name, password_hash) values ($1, 'Somebody', 'none') returning id)
                 insert into wallets (user_id, currency_code, position)
                 select person.id, code, place - 1 from person, unnest($2::text[]) with ordinality as listed (code, place)
                 returning id, user_id, currency_code, position`,
        },
        [`${name}-${mark}`, Object.keys(balances)],
      )),
    )
  const accounts = await db.query<AccountRow>(
    {
      name: 'simulated_accounts',
      text: accountsOf('select unnest($1::bigint[])'),
    },
    [wallets.map(({ id }) => id)],
  )
  twin.adopt({ wallets, accounts })
  const both = inStep(twin, counts)
  for (const account of accounts) {
    const wallet = wallets.find(({ id }) => id === account.wallet_id)
    if (wallet === undefined || account.kind !== 'available') continue
    const amount = PEOPLE[wallet.user_id.split('-')[0] ?? '']?.[wallet.currency_code] ?? 0n
    const faucet = accounts.find((each) => each.kind === 'faucet' && each.currency_code === wallet.currency_code)?.id
    await both.query(
      { name: 'post_entry', text: `select entry_id, replayed from post_entry($1, $2, $3::bigint[], $4::bigint[])` },
      ['opening', `opening:${wallet.user_id}:${wallet.currency_code}`, [faucet, account.id], [-amount, amount]],
    )
  }
  const used = schedule.operations.flatMap(({ operation }) =>
    operation.kind === 'receive' || operation.kind === 'pay own' ? [operation.invoice % 4] : [0],
  )
  for (const { hash, preimage, text: invoice, username, code, amountMsats } of stage.own.filter((_, place) =>
    used.includes(place),
  )) {
    const walletId = wallets.find((each) => each.user_id === username && each.currency_code === code)?.id
    await both.query(
      {
        name: 'insert_invoice',
        text: `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, description_hash, created_at, expires_at)
               values ($1, $2, $3, $4, $5, $6::bigint, $7, $8, to_timestamp($9::bigint), to_timestamp($10::bigint))`,
      },
      [
        hash,
        preimage,
        invoice,
        username,
        walletId,
        amountMsats ?? null,
        null,
        null,
        nowMs / 1000,
        nowMs / 1000 + 3_600,
      ],
    )
  }
  const preimages = new Map(stage.foreign.map(({ hash, preimage }) => [hash, preimage]))
  const node = makeSimulatedNode({ ...schedule, preimageOf: (hash) => preimages.get(hash) })
  const listeners: ((event: NodeEvent) => Promise<void>)[] = []
  const port: LightningNode = {
    publicKeyHex: OUR_KEY,
    signInvoice: () => '',
    routeTo: (payee) => (payee === REMOTE_KEY ? REMOTE_KEY : undefined),
    send(payment) {
      const outcome = node.send(payment)
      return Promise.resolve(outcome === 'hangs' ? { kind: 'unknown' } : outcome)
    },
    track: ({ sendId }) => Promise.resolve(node.track(sendId)),
    listen(listener) {
      listeners.push(listener)
      return () => {}
    },
  }
  const ports = {
    ...constants,
    db: both,
    node: port,
    log: silent,
    audit: { state: () => 'ok', report: () => {}, refusePaymentsAfterBreach: () => {} },
    ids: { uuid: () => `worker of ${mark}` },
    clock: { now: () => new Date() },
    settings: { paymentWaitSeconds: 0, maxOpenPaymentsPerUser: 2 },
  } as unknown as Deps
  const deps: Deps = { ...ports, paymentWorker: makePaymentWorker(ports) }
  const agree = async (): Promise<void> =>
    expect(comparable(twin.books(), people)).toEqual(comparable(await readBooks(db, people), people))

  for (const { operation } of schedule.operations) {
    if (operation.kind === 'receive') {
      const event = node.receive({
        paymentHash: paperOf(stage, { ...operation, invoice: operation.invoice % 4 }).hash,
        amountMsats: 1_000_000n,
        peer: REMOTE_KEY,
      })
      if (event !== undefined) for (const listener of [...listeners, ...listeners]) await listener(event)
    } else await answerOf(askedBy(stage, operation), carryOut(deps, stage, operation))
    if (schedule.choices.length % 3 === 0) await timePasses(people, deps)
  }
  for (let round = 0; round < 3; round++) {
    for (const sendId of node.underWay()) for (const listener of listeners) await listener(node.end(sendId))
    await timePasses(people, deps)
  }
  await agree()
  // What is still open would be claimed by the next history.
  await db.query(
    {
      name: 'simulated_end',
      text: `select fail_payment(id, 'never-sent') from payments where user_id = any($1) and state in ('held', 'sending')`,
    },
    [people],
  )
}

/** The claims run out on both sides, and the worker takes up what is left. */
async function timePasses(people: readonly string[], deps: Deps): Promise<void> {
  // In its turn, between the statements of payments that are being carried.
  await deps.db.query(PATIENCE, [people])
  await deps.paymentWorker.reconcile()
}
