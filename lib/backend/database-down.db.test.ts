import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSession, userOfSession } from '@/lib/accounts/sessions/session-store'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPostgres } from '@/test/databases/databases'
import { migratedDataDir } from '@/test/databases/migrated'
import { takeConnections } from '@/test/databases/take-connections'
import { startTcpProxy, type TcpProxy } from '@/test/databases/tcp-proxy'
import { booksOf, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { expectDocumented } from '@/test/vasp/openapi'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'

const COMMANDS = ['get_balance', 'make_invoice', 'lookup_invoice', 'list_transactions', 'pay_invoice']
const SETTLE = 'settle_internal_payment'
const AMOUNT_MSATS = 15_001n
const OPENING_CENTS = 1_000n

interface Scene {
  readonly payer: string
  readonly payee: string
  readonly token: string
  readonly invoice: string
  readonly paymentHash: string
}

async function makeScene(vasp: TestVasp): Promise<Scene> {
  const payer = await newUser(vasp, { USD: OPENING_CENTS })
  const payee = await newUser(vasp, { SAT: 0n })
  const { invoice, paymentHash } = await invoiceOf(vasp, payee, 'SAT', AMOUNT_MSATS)
  return { payer, payee, token: await vasp.connectionToken(payer, COMMANDS), invoice, paymentHash }
}

function callsOf(
  vasp: TestVasp,
  { token, invoice, paymentHash }: Scene,
): [string, 'get' | 'post', () => Promise<Answer>][] {
  return [
    ['/balance', 'get', () => vasp.get('/balance', token)],
    ['/transactions', 'get', () => vasp.get('/transactions', token)],
    [`/invoices/${paymentHash}`, 'get', () => vasp.get(`/invoices/${paymentHash}`, token)],
    ['/invoice', 'post', () => vasp.post('/invoice', token, { amount: 1_000_000 })],
    ['/payments/bolt11', 'post', () => vasp.post('/payments/bolt11', token, { invoice })],
  ]
}

/** Each money route answers 503 while the database is away, without details. */
async function expectUnavailable(vasp: TestVasp, scene: Scene): Promise<void> {
  const calls = callsOf(vasp, scene).map(async ([path, method, call]) => {
    const answer = await call()
    expect({ path, ...answer }).toMatchObject({ path, status: 503, body: { code: 'INTERNAL' } })
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(answer.body)).not.toMatch(/postgres|127\.0\.0\.1|ECONN|PGlite|read-only/i)
    expectDocumented(method, path, answer)
  })
  await Promise.all(calls)
}

async function expectPaidOnce(vasp: TestVasp, db: Database, scene: Scene, answer: Answer): Promise<void> {
  expect(answer).toMatchObject({ status: 200, body: { total_budget_currency_amount: 20 } })
  expect((await vasp.post('/payments/bolt11', scene.token, { invoice: scene.invoice })).body).toEqual(answer.body)
  expect((await walletOf(db, scene.payer, 'USD')).available).toBe(OPENING_CENTS - 2n)
  expect((await walletOf(db, scene.payee, 'SAT')).available).toBe(AMOUNT_MSATS)
  expect(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))).toEqual([])
}

describeOnPostgres('While the database server', (server) => {
  let proxy: TcpProxy
  let db: Database
  /** The same database without the proxy, to read what was written. */
  let direct: Database
  let vasp: TestVasp
  let scene: Scene
  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    proxy = await startTcpProxy(databaseUrl)
    db = await openDatabase({ databaseUrl: proxy.url, dataDir: '', log: () => {} })
    direct = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    vasp = await makeTestVasp(db)
  })
  afterAll(async () => {
    await db.close()
    await direct.close()
    await proxy.stop()
  })
  beforeEach(async () => {
    scene = await makeScene(vasp)
  })

  const run = (text: string): Promise<unknown> =>
    direct.query({ name: `test_${text.length}_${text.slice(0, 20)}`, text })
  const pay = (): Promise<Answer> => vasp.post('/payments/bolt11', scene.token, { invoice: scene.invoice })

  it('is gone, every money route answers 503 and writes nothing, and recovers when the server is back', async () => {
    const before = await booksOf(direct)
    await proxy.cut()
    await expectUnavailable(vasp, scene)
    await expectUnavailable(vasp, scene)
    expect(await booksOf(direct)).toEqual(before)
    await proxy.mend()
    await expectPaidOnce(vasp, direct, scene, await pay())
    for (const [path, , call] of callsOf(vasp, scene))
      expect({ path, ...(await call()) }).toMatchObject({ path, status: 200 })
  })

  it('has no free connection, every money route answers 503 without waiting for one, and writes nothing', async () => {
    const before = await booksOf(direct)
    const giveBack = await takeConnections(db)
    await expectUnavailable(vasp, scene)
    await giveBack()
    expect(await booksOf(direct)).toEqual(before)
    await expectPaidOnce(vasp, direct, scene, await pay())
  })

  it('is read-only, as after a failover, reading continues, no payment is made, and payments continue once it accepts writes', async () => {
    const visitor = await makeVisitor()
    const before = await booksOf(direct)
    const [row] = await direct.query<{ name: string }>({
      name: 'test_name',
      text: 'select current_database() as name',
    })
    const name = row?.name ?? ''
    await run(`alter database ${name} set default_transaction_read_only = on`)
    await cutAll()
    // The connection was never used, so each of these calls tries to record its use.
    for (const [path, method, call] of callsOf(vasp, scene).filter(([, each]) => each === 'get')) {
      const answer = await call()
      // The payer has not paid the invoice yet, and cannot see it.
      expect({ path, ...answer }).toMatchObject({ path, status: path.startsWith('/invoices/') ? 404 : 200 })
      expectDocumented(method, path, answer)
    }
    expect(await userOfSession(db, visitor.sessionId)).toMatchObject({ username: visitor.username })
    for (const [path, method, call] of callsOf(vasp, scene).filter(([, each]) => each === 'post')) {
      const answer = await call()
      expect({ path, ...answer }).toMatchObject({ path, status: 503, body: { code: 'INTERNAL' } })
      expect(answer.headers.get('retry-after')).toBe('5')
      expectDocumented(method, path, answer)
    }
    expect(await booksOf(direct)).toEqual(before)
    await run(`alter database ${name} reset default_transaction_read_only`)
    await cutAll()
    await expectPaidOnce(vasp, direct, scene, await pay())
  })

  it.each([1, 4, 20])(
    'loses the answer of a committed payment, the payer receives 503, and %d simultaneous repetitions pay nothing more',
    async (copies) => {
      proxy.cutAt(SETTLE, 'after')
      expect(await pay()).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
      // The payment was committed, so the repetition finds a paid invoice.
      expect((await walletOf(direct, scene.payee, 'SAT')).available).toBe(AMOUNT_MSATS)
      const answers = await Promise.all(Array.from({ length: copies }, pay))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      await expectPaidOnce(vasp, direct, scene, answers[0] as Answer)
    },
  )

  it('never receives a payment because the connection ends, the payer receives 503 and pays once on a retry', async () => {
    const before = await booksOf(direct)
    proxy.cutAt(SETTLE, 'before')
    expect(await pay()).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    expect(await booksOf(direct)).toEqual(before)
    await expectPaidOnce(vasp, direct, scene, await pay())
  })

  it('ends the session of a payment midway, nothing is half done', async () => {
    const before = await booksOf(direct)
    // The payment's session ends while it waits for the invoice's row, which another transaction has locked.
    await direct.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`select 1 from invoices where payment_hash = ${scene.paymentHash} for update`
      const payment = pay()
      await untilAnotherWaits()
      await run(`select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and query like '%${SETTLE}%'`)
      expect(await payment).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    })
    expect(await booksOf(direct)).toEqual(before)
    await expectPaidOnce(vasp, direct, scene, await pay())
  })

  it('keeps a payment waiting for a lock, the payer receives 503 while the lock is still held and nothing is half done', async () => {
    const before = await booksOf(direct)
    await direct.prisma.$transaction(
      async (tx) => {
        await tx.$queryRaw`select 1 from invoices where payment_hash = ${scene.paymentHash} for update`
        expect(await pay()).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
      },
      { timeout: 60_000 },
    )
    expect(await booksOf(direct)).toEqual(before)
    await expectPaidOnce(vasp, direct, scene, await pay())
  })

  /** A temporary user whose use is due to be recorded. */
  async function makeVisitor(): Promise<{ username: string; sessionId: string }> {
    const [username, sessionId] = [await newUser(vasp, { SAT: 0n }), randomUUID()]
    await run(`update users set made_on_demand = true, last_used_at = now() - interval '1 hour',
                 expires_at = now() + interval '1 hour' where id = '${username}'`)
    await openSession(direct, sessionId, username)
    return { username, sessionId }
  }

  async function cutAll(): Promise<void> {
    await proxy.cut()
    await expect.poll(() => db.connections?.().open).toBe(0)
    await proxy.mend()
  }

  async function untilAnotherWaits(): Promise<void> {
    const waiting = {
      name: 'test_waiting',
      text: `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    }
    while ((await direct.query(waiting)).length === 0);
  }
})

describe('While the embedded database', () => {
  it('is closed, every money route answers 503, and no data is lost when it is opened again', async () => {
    const dataDir = await migratedDataDir()
    const open = (): Promise<Database> => openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })
    try {
      const db = await open()
      const vasp = await makeTestVasp(db)
      const scene = await makeScene(vasp)
      const before = await booksOf(db)
      await db.close()
      await expectUnavailable(vasp, scene)
      const again = await open()
      expect(await booksOf(again)).toEqual(before)
      const restarted = await makeTestVasp(again, {}, vasp.pair)
      const answer = await restarted.post('/payments/bolt11', scene.token, { invoice: scene.invoice })
      await expectPaidOnce(restarted, again, scene, answer)
      await again.close()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
