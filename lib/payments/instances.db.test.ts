import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { endLease, expectSound, newPayer, statesOf, tally, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp, onDatabase, withParts, type TestVasp } from '@/test/vasp/vasp'

const COPIES = 100
const AMOUNT = 1_000_000n

describeOnPostgres('Two instances on one database, with one node', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  let first: TestVasp
  let second: TestVasp
  /** A third instance, whose worker neither polls nor recovers payments: it depends on notifications. */
  let listening: TestVasp
  let db: Database
  let payer: Payer
  /** Requests that have begun to wait for the end of a payment. */
  let waiting = 0
  /** Looks at the database whether an awaited payment has ended: one when a request begins to wait in another instance. */
  let looks = 0

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const pair = newKeyPair()
    const open = async (runs: boolean): Promise<TestVasp> => {
      const opened = await openPatiently(databaseUrl)
      const counting: Database = {
        ...opened,
        async query(statement, params) {
          const rows = await opened.query(statement, params)
          if (statement.name === 'ended_payments' && !runs) looks += 1
          return rows
        },
      }
      const vasp = await makeTestVasp(counting, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '20' }, pair, node)
      const { paymentWorker } = vasp.app
      if (runs) paymentWorker.keepRunning()
      return withParts(vasp, {
        paymentWorker: {
          ...paymentWorker,
          waitForEnd(...which) {
            waiting += 1
            return paymentWorker.waitForEnd(...which)
          },
        },
      })
    }
    first = await open(true)
    second = await open(true)
    listening = await open(false)
    db = first.app.db
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.sent.length = 0
    node.tracked = 0
    waiting = 0
    looks = 0
    payer = await newPayer(first, { SAT: 2_000_000n })
  })
  afterEach(() => expectSound(db))
  afterAll(async () => {
    for (const { app } of [first, second, listening]) {
      await app.paymentWorker.stop()
      await app.db.close()
    }
  })

  const copies = (invoice: string): Promise<Awaited<ReturnType<Payer['pay']>>[]> =>
    Promise.all(Array.from({ length: COPIES }, (_, index) => payer.pay(invoice, {}, index % 2 === 0 ? first : second)))

  test('send a hundred copies of one payment once, debit once, and give a hundred equal answers', async () => {
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const answers = await copies(invoice)
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(node.sent).toHaveLength(1)
    expect(await payer.balances()).toEqual([1_000_000n, 0n])
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
  })

  test('answer all copies that wait in another instance for a slow node by notification, without a poll', async () => {
    node.script = 'hangs'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const sending = payer.pay(invoice)
    await expect.poll(() => node.sent.length).toBe(1)
    const waits = Array.from({ length: COPIES }, () => payer.pay(invoice, {}, listening))
    await expect.poll(() => looks).toBe(COPIES)
    await node.end(paymentHash, 'succeeded')
    const answers = await Promise.all([sending, ...waits])
    expect(tally(answers)).toEqual({ 200: COPIES + 1 })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(node.sent).toHaveLength(1)
    expect(await payer.balances()).toEqual([1_000_000n, 0n])
  })

  test('report a payment that fails in one instance to all requests that wait in the other, and allow a retry', async () => {
    node.script = 'hangs'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const all = copies(invoice)
    await expect.poll(() => node.sent.length).toBe(1)
    await awaited(paymentHash)
    // A copy that arrived after the failure would be a retry.
    await expect.poll(() => waiting).toBe(COPIES)
    node.script = 'arrives'
    await node.end(paymentHash, 'failed')
    const answers = await all
    expect(tally(answers)).toEqual({ 400: COPIES })
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['PAYMENT_FAILED']))
    expect(await payer.balances()).toEqual([2_000_000n, 0n])
    expect((await payer.pay(invoice, {}, second)).status).toBe(200)
    expect(await statesOf(db, paymentHash)).toEqual(['failed', 'succeeded'])
  })

  test.each([
    ['before it sends the payment', 'mark_sending', 1],
    ['while the node is sending the payment', 'settle_payment', 1],
  ])('take over the payment of an instance that dies %s when its lease of 6 seconds ends', async (_, at, sends) => {
    const { database, die } = mortal(first.app.db, at)
    const doomed = onDatabase(first, database)
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    // Requests to the dead instance get no answer.
    void payer.pay(invoice, {}, doomed).catch(() => undefined)
    await expect.poll(die.isDead).toBe(true)
    const text = `select lease_expires_at <= now() + interval '6 seconds' as ends from payments where payment_hash = $1`
    expect(await db.query({ name: 'test_lease', text }, [paymentHash])).toEqual([{ ends: true }])
    await endLease(db, paymentHash)
    const answer = await payer.pay(invoice, {}, second)
    expect(answer).toMatchObject({ status: 200, body: { total_budget_currency_amount: 1_000 } })
    expect(node.sent).toHaveLength(sends)
    expect(await payer.balances()).toEqual([1_000_000n, 0n])
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
  })

  /** Waits until the other instance has requested a notification. */
  async function awaited(paymentHash: string): Promise<void> {
    const text = 'select notify_on_completion from payments where payment_hash = $1'
    await expect
      .poll(() => db.query({ name: 'test_awaited', text }, [paymentHash]))
      .toEqual([{ notify_on_completion: true }])
  }
})

describeOnPostgres('Two instances that recover payments only when told', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  let vasps: TestVasp[]

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const pair = newKeyPair()
    const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }
    const open = async (): Promise<TestVasp> => makeTestVasp(await openPatiently(databaseUrl), env, pair, node)
    vasps = [await open(), await open()]
  })
  afterAll(async () => {
    for (const { app } of vasps) {
      await app.paymentWorker.stop()
      await app.db.close()
    }
  })

  test('recover each of forty abandoned payments in one instance only', async () => {
    const [first, second] = vasps as [TestVasp, TestVasp]
    const { db } = first.app
    node.script = 'reply lost'
    const payers = [await newPayer(first, { SAT: 200_000_000n }), await newPayer(first, { SAT: 200_000_000n })]
    const payments = payers.flatMap((payer) => Array.from({ length: 20 }, () => ({ payer, ...node.invoice(AMOUNT) })))
    const payAll = async (): Promise<Record<number, number>> =>
      tally(await Promise.all(payments.map(({ payer, invoice }) => payer.pay(invoice))))
    expect(await payAll()).toEqual({ 504: 40 })
    const text = `select count(*)::int as given_up from payments where state = 'sending' and lease_owner = 'nobody'`
    await expect.poll(() => db.query({ name: 'test_given_up', text })).toEqual([{ given_up: 40 }])
    for (const { paymentHash } of payments) await endLease(db, paymentHash)
    await Promise.all([first, second, first, second].map(({ app }) => app.paymentWorker.reconcile()))
    // The node is asked about each payment once.
    expect([node.sent.length, node.tracked]).toEqual([40, 40])
    expect(await payAll()).toEqual({ 200: 40 })
    expect(node.sent).toHaveLength(40)
    for (const payer of payers) expect(await payer.balances()).toEqual([180_000_000n, 0n])
    await expectSound(db)
  })
})

/** A database that becomes unreachable when the process runs this statement. */
function mortal(db: Database, name: string): { database: Database; die: { isDead: () => boolean } } {
  let dead = false
  const never = new Promise<never>(() => {})
  return {
    die: { isDead: () => dead },
    database: {
      ...db,
      async query(statement, params) {
        if (statement.name === name) dead = true
        return dead ? never : db.query(statement, params)
      },
    },
  }
}
