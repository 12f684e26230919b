import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { endLease, expectSound, newPayer, statesOf, tally, type Payer } from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { renewLeases } from './recover'

const AMOUNT = 1_000_000n
const OPEN = 20

describeOnPostgres('A server that stops with twenty payments open', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  const pair = newKeyPair()
  let databaseUrl: string
  let db: Database
  let vasp: TestVasp
  let payer: Payer

  const start = (): Promise<TestVasp> =>
    makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '60' }, pair, node)
  beforeAll(async () => {
    databaseUrl = await server.createMigratedDatabase()
    db = await openPatiently(databaseUrl)
  })
  beforeEach(async () => {
    vasp = await start()
    payer = await newPayer(vasp, { SAT: 100_000_000n })
    node.script = 'hangs'
    node.sent.length = 0
    node.tracked = 0
  })
  afterAll(() => db.close())

  async function openTwenty() {
    const invoices = Array.from({ length: OPEN }, () => node.invoice(AMOUNT))
    const answers = Promise.all(invoices.map(({ invoice }) => payer.pay(invoice)))
    await expect.poll(() => node.sent.length).toBe(OPEN)
    return { invoices, answers }
  }

  test('refuses new payments to other nodes, answers the open ones as they end, and stops after the last', async () => {
    const { invoices, answers } = await openTwenty()
    let stopped = false
    const stopping = vasp.app.paymentWorker.stop().then(() => (stopped = true))
    const refused = await payer.pay(node.invoice(AMOUNT).invoice)
    expect(refused).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(node.sent).toHaveLength(OPEN)
    // The stopping worker recovers no payments of other workers either.
    await vasp.app.paymentWorker.reconcile()
    expect(stopped).toBe(false)
    for (const { paymentHash } of invoices) await node.end(paymentHash, 'succeeded')
    await stopping
    expect(tally(await answers)).toEqual({ 200: OPEN })
    expect(await payer.balances()).toEqual([80_000_000n, 0n])
    await expectSound(db)
  })

  test('waits at most 30 seconds; payments still open stay in `sending`, and the next server completes them', async () => {
    const { invoices, answers } = await openTwenty()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let stopped = false
    const stopping = vasp.app.paymentWorker.stop().then(() => (stopped = true))
    await vi.advanceTimersByTimeAsync(29_900)
    expect(stopped).toBe(false)
    for (const { paymentHash } of invoices.slice(0, 15)) await node.end(paymentHash, 'succeeded')
    await vi.advanceTimersByTimeAsync(200)
    vi.useRealTimers()
    await stopping
    const given = await answers
    expect(tally(given)[504]).toBeGreaterThanOrEqual(5)
    for (const { paymentHash } of invoices.slice(15)) expect(await statesOf(db, paymentHash)).toEqual(['sending'])
    // The hold stays, and the next server receives the node's answer.
    const next = await start()
    next.app.paymentWorker.keepRunning()
    for (const { paymentHash } of invoices.slice(15)) {
      await node.end(paymentHash, 'succeeded')
      await endLease(db, paymentHash)
    }
    const retries = await Promise.all(invoices.map(({ invoice }) => payer.pay(invoice, {}, next)))
    expect(tally(retries)).toEqual({ 200: OPEN })
    expect(node.sent).toHaveLength(OPEN)
    expect(await payer.balances()).toEqual([80_000_000n, 0n])
    await next.app.paymentWorker.stop()
    await expectSound(db)
  })

  test('renews its leases while it waits, so that no other instance takes its payments', async () => {
    vasp.app.paymentWorker.keepRunning()
    const { invoices, answers } = await openTwenty()
    const stopping = vasp.app.paymentWorker.stop()
    const shorten = `update payments set lease_expires_at = now() + interval '2500 milliseconds' where state = 'sending' returning id`
    const left = `select count(*)::int as count from payments where state = 'sending' and lease_expires_at < now() + interval '4 seconds'`
    const short = (): Promise<unknown> => db.query({ name: 'test_short', text: left })
    // Before the leases end, a worker that is working renews them.
    const rows = await db.query<{ id: bigint }>({ name: 'test_shorten', text: shorten })
    expect(rows).toHaveLength(OPEN)
    await renewLeases(
      { db },
      rows.map(({ id }) => id),
      vasp.app.paymentWorker.name,
      [],
    )
    expect(await short()).toEqual([{ count: 0 }])
    // A stopping worker still does.
    await db.query({ name: 'test_shorten', text: shorten })
    await expect.poll(short).toEqual([{ count: 0 }])
    const other = await start()
    await other.app.paymentWorker.reconcile()
    expect(node.tracked).toBe(0)
    for (const { paymentHash } of invoices) await node.end(paymentHash, 'succeeded')
    await stopping
    expect(tally(await answers)).toEqual({ 200: OPEN })
    await other.app.paymentWorker.stop()
    await expectSound(db)
  })

  test('waits for a payment whose hold is being written when the stop begins, and sends it', async () => {
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const other = new Client({ connectionString: databaseUrl })
    await other.connect()
    await other.query('begin')
    await other.query('select 1 from users where id = $1 for update', [payer.username])
    const answer = payer.pay(invoice)
    const waits = { name: 'test_hold_waits', text: LOCK_WAITS }
    await expect.poll(() => db.query(waits), { interval: 10 }).toHaveLength(1)
    let stopped = false
    const stopping = vasp.app.paymentWorker.stop().then(() => (stopped = true))
    await other.end()
    await expect.poll(() => node.sent.length, { interval: 10 }).toBe(1)
    expect(stopped).toBe(false)
    await node.end(paymentHash, 'succeeded')
    await stopping
    expect((await answer).status).toBe(200)
    await expectSound(db)
  })

  test('keeps no request waiting after it has stopped', async () => {
    node.script = 'in flight'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const [first] = await Promise.all([payer.pay(invoice), vasp.app.paymentWorker.stop()])
    expect([503, 504]).toContain(first.status)
    // A waiting request would wait for a timer, and none fires.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const again = await payer.pay(invoice)
    expect([503, 504]).toContain(again.status)
    expect((await statesOf(db, paymentHash)).length).toBeLessThanOrEqual(1)
  })

  test('makes internal payments until the process ends', async () => {
    const other = await newPayer(vasp, { SAT: 0n })
    await vasp.app.paymentWorker.stop()
    const { invoice } = await invoiceOf(vasp, other.username, 'SAT', AMOUNT)
    expect((await payer.pay(invoice)).status).toBe(200)
  })
})
