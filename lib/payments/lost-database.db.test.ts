import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPostgres } from '@/test/databases/databases'
import { startTcpProxy, type TcpProxy } from '@/test/databases/tcp-proxy'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { endLease, expectSound, newPayer, statesOf, untilIs, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const AMOUNT = 1_000_000n
const START = 3_000_000n

describeOnPostgres('A VASP whose database is lost', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  let wire: TcpProxy
  /** The VASP, which reaches the database through a proxy. */
  let vasp: TestVasp
  /** The same database without the proxy, for assertions. */
  let db: Database
  let payer: Payer

  beforeAll(async () => {
    const url = await server.createMigratedDatabase()
    wire = await startTcpProxy(url)
    db = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
    const behind = await openDatabase({ databaseUrl: wire.url, dataDir: '', log: () => {} })
    vasp = await makeTestVasp(behind, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.sent.length = 0
    payer = await newPayer(vasp, { SAT: START })
  })
  afterEach(() => expectSound(db))
  afterAll(async () => {
    await vasp.app.paymentWorker.stop()
    await vasp.app.db.close()
    await db.close()
    await wire.stop()
  })

  test.each([
    ['hold_payment', 'before'],
    ['hold_payment', 'after'],
    ['mark_sending', 'before'],
    ['mark_sending', 'after'],
    ['settle_payment', 'before'],
    ['settle_payment', 'after'],
    ['fail_payment', 'before'],
    ['fail_payment', 'after'],
  ] as const)(
    'pays once and repeats its answer when the connection is lost at the COMMIT of %s, %s it',
    async (statement, when) => {
      const fails = statement === 'fail_payment'
      // A payment that was never sent is stale by the time a worker claims it: its hold is released, and a retry pays.
      const givenBack = fails || statement === 'mark_sending'
      if (fails) node.script = 'fails'
      const { invoice, paymentHash } = node.invoice(AMOUNT)
      wire.cutAt(statement, when)
      const first = await payer.pay(invoice)
      // An unknown outcome is never reported as a success or a refusal.
      expect([503, 504]).toContain(first.status)
      await endLease(db, paymentHash)
      await vasp.app.paymentWorker.reconcile()
      node.script = 'arrives'
      const again = await payer.pay(invoice)
      expect(again.status).toBe(200)
      expect((await payer.pay(invoice)).body).toEqual(again.body)
      expect(await statesOf(db, paymentHash)).toEqual(givenBack ? ['failed', 'succeeded'] : ['succeeded'])
      expect(node.sent.filter((sent) => sent.paymentHash === paymentHash)).toHaveLength(fails ? 2 : 1)
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
    },
  )

  test('answers 503 while the database is gone, sends nothing, and recovers', async () => {
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    await wire.cut()
    for (let count = 0; count < 3; count++)
      expect(await payer.pay(invoice)).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    expect(node.sent).toEqual([])
    await wire.mend()
    expect((await payer.pay(invoice)).status).toBe(200)
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
  })

  test('asks the node again for outcomes reported while the database was gone', async () => {
    node.script = 'hangs'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const answer = payer.pay(invoice)
    await untilIs(db, paymentHash, 'sending')
    await wire.cut()
    await node.end(paymentHash, 'succeeded')
    expect((await answer).status).toBe(504)
    await wire.mend()
    await endLease(db, paymentHash)
    await vasp.app.paymentWorker.reconcile()
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
    expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
    expect((await payer.pay(invoice)).status).toBe(200)
    expect(node.sent).toHaveLength(1)
  })
})
