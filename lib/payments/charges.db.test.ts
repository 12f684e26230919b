import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import {
  endLease,
  expectSound,
  houseBalance,
  impatient,
  newPayer,
  statesOf,
  untilUnknown,
  type Payer,
} from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

describeOnBothEngines('Charging for a payment to another node', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(() => {
    node.script = 'arrives'
    node.feeMsats = 0n
    node.sent.length = 0
  })

  const payerWith = (amount: bigint): Promise<Payer> => newPayer(vasp, { SAT: amount })

  test.each([0n, 1n, 9_999n, 10_000n])(
    'passes a network fee of %s msats, within the limit, on to the user',
    async (fee) => {
      node.feeMsats = fee
      const payer = await payerWith(1_010_000n)
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      const { status, body } = await payer.pay(invoice)
      expect([status, body.total_budget_currency_amount]).toEqual([200, Number((1_000_000n + fee + 999n) / 1_000n)])
      expect(await payer.balances()).toEqual([10_000n - fee, 0n])
      expect((await vasp.get(`/invoices/${paymentHash}`, payer.token)).body).toMatchObject({
        type: 'outgoing',
        amount: 1_000_000,
        fees_paid: Number(fee),
        preimage: body.preimage,
      })
      expect(node.sent[0]?.feeLimitMsats).toBe(10_000n)
      await expectSound(db())
    },
  )

  test.each([
    [1_000n, 10_000n],
    [1_000_000n, 10_000n],
    [1_000_001n, 10_001n],
    [100_000_000n, 1_000_000n],
  ])('for %s msats, holds exactly the fee limit that the node receives: %s', async (amount, limit) => {
    node.script = 'in flight'
    const payer = await payerWith(200_000_000n)
    const { invoice, paymentHash } = node.invoice(amount)
    await payer.pay(invoice, {}, impatient(vasp))
    await untilUnknown(db(), paymentHash)
    expect(node.sent[0]?.feeLimitMsats).toBe(limit)
    expect(await payer.balances()).toEqual([200_000_000n - amount - limit, amount + limit])
    await node.end(paymentHash, 'succeeded')
    await endLease(db(), paymentHash)
    await vasp.app.paymentWorker.reconcile()
    expect(await payer.balances()).toEqual([200_000_000n - amount, 0n])
  })

  test.each([10_001n, 5_000_000n])(
    'for a fee of %s msats, over the limit, charges the user the limit and the operator the excess, and logs an error',
    async (fee) => {
      node.feeMsats = fee
      vasp.logged.length = 0
      const payer = await payerWith(1_010_000n)
      const before = await houseBalance(db(), 'fees')
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      expect(await payer.pay(invoice)).toMatchObject({ status: 200, body: { total_budget_currency_amount: 1_010 } })
      expect(await payer.balances()).toEqual([0n, 0n])
      expect(before - (await houseBalance(db(), 'fees'))).toBe(fee - 10_000n)
      expect(vasp.logged.filter((line) => line.includes('the operator bears the excess'))).toHaveLength(1)
      expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
      expect((await vasp.get(`/invoices/${paymentHash}`, payer.token)).body.fees_paid).toBe(10_000)
      await expectSound(db())
    },
  )

  test('charges a fiat wallet the actual fee in whole units, rounded up, and releases the rest of the hold', async () => {
    node.feeMsats = 1n
    const payer = await newPayer(vasp, { USD: 200n })
    const { invoice } = node.invoice(1_000_000n)
    expect(await payer.pay(invoice, { budget_currency_code: 'USD' })).toMatchObject({
      status: 200,
      body: { total_budget_currency_amount: 101 },
    })
    expect(await payer.balances()).toEqual([99n, 0n])
    await expectSound(db())
  })

  test('holds enough in a fiat wallet, rounded up, for the maximum fee', async () => {
    node.feeMsats = 10_001n
    const payer = await newPayer(vasp, { USD: 102n })
    const { invoice } = node.invoice(1_000_001n)
    expect(await payer.pay(invoice, { budget_currency_code: 'USD' })).toMatchObject({
      status: 200,
      body: { total_budget_currency_amount: 102 },
    })
    expect(await payer.balances()).toEqual([0n, 0n])
    await expectSound(db())
  })

  test('refuses a balance that covers the amount but not the fee limit, and sends nothing', async () => {
    const payer = await payerWith(1_009_999n)
    const answer = await payer.pay(node.invoice(1_000_000n).invoice)
    expect(answer).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
    expect(node.sent).toEqual([])
    expect(await payer.balances()).toEqual([1_009_999n, 0n])
  })

  test('returns the stored answer on a retry and debits nothing; refuses a retry with a different amount', async () => {
    node.feeMsats = 2_500n
    const payer = await payerWith(2_000_000n)
    const { invoice } = node.invoice()
    const first = await payer.pay(invoice, { amount: 1_000_000 })
    expect(first).toMatchObject({ status: 200, body: { total_budget_currency_amount: 1_003 } })
    expect((await payer.pay(invoice, { amount: 1_000_000 })).body).toEqual(first.body)
    expect((await payer.pay(`lightning:${invoice.toUpperCase()}`, { amount: 1_000_000 })).body).toEqual(first.body)
    const inDollars = await payer.pay(invoice, { amount: 1_000_000, budget_currency_code: 'USD' })
    expect(inDollars.body).toEqual({ preimage: first.body.preimage, total_budget_currency_amount: 101 })
    expect(await payer.pay(invoice, { amount: 999_999 })).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect(node.sent).toHaveLength(1)
    expect(await payer.balances()).toEqual([2_000_000n - 1_002_500n, 0n])
  })

  test('holds nothing and sends nothing for an expired invoice or a payee without a route', async () => {
    const payer = await payerWith(2_000_000n)
    const old = node.invoice(1_000n, 3_600, Math.floor(Date.now() / 1000) - 3_601)
    expect(await payer.pay(old.invoice)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    const strangers = makeScriptedNode().invoice(1_000n)
    expect(await payer.pay(strangers.invoice)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
    expect(node.sent).toEqual([])
    expect(await payer.balances()).toEqual([2_000_000n, 0n])
  })
})
