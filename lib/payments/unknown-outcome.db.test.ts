import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import {
  endLease,
  expectSound,
  houseBalance,
  impatient,
  newPayer,
  statesOf,
  untilIs,
  untilUnknown,
  type Payer,
} from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'

const AMOUNT = 1_000_000n
/** 1 % of the amount, which is 10 satoshis. */
const FEE_LIMIT = 10_000n
const START = 2_000_000n
const HELD: [bigint, bigint] = [START - AMOUNT - FEE_LIMIT, AMOUNT + FEE_LIMIT]

describeOnBothEngines('An outgoing payment', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: Payer

  const open = (): Promise<TestVasp> => makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, undefined, node)
  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await open()
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 0n
    node.sent.length = 0
    payer = await newPayer(vasp, { SAT: START })
  })

  /** The answer to a payment whose outcome the node does not know. */
  const payInVain = async ({ invoice, paymentHash }: ReturnType<ScriptedNode['invoice']>): Promise<Answer> => {
    const answer = await payer.pay(invoice, {}, impatient(vasp))
    await untilUnknown(db(), paymentHash)
    return answer
  }
  /** A worker round that claims this payment, even if its lease has not ended. */
  const round = async (paymentHash: string): Promise<void> => {
    await endLease(db(), paymentHash)
    await vasp.app.paymentWorker.reconcile()
  }
  const expectPending = async (paymentHash: string): Promise<void> => {
    expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
    expect(await payer.balances()).toEqual(HELD)
  }
  const errors = (): string[] => vasp.logged.filter((line) => line.includes('"level":50'))

  describe('that fails', () => {
    test('is answered 503 PAYMENT_FAILED when it was never sent, because the caller is not at fault, and may be retried', async () => {
      node.script = 'forgotten'
      const { invoice, paymentHash } = node.invoice(AMOUNT)
      const answer = payer.pay(invoice)
      await expect.poll(() => statesOf(db(), paymentHash)).toEqual(['sending'])
      await expect.poll(() => node.sent.length).toBe(1)
      node.script = 'arrives'
      await round(paymentHash)
      const { status, headers, body } = await answer
      expect({ status, retryAfter: headers.get('retry-after'), body }).toEqual({
        status: 503,
        retryAfter: '5',
        body: {
          code: 'PAYMENT_FAILED',
          message:
            'The recipient’s node did not accept the payment in time, so this VASP gave it up. If the invoice is still valid, try again in a moment. If it has expired, ask for a new one. Nothing was taken from your wallet.',
        },
      })
      expect(await payer.balances()).toEqual([START, 0n])
      expect((await payer.pay(invoice)).status).toBe(200)
      expect(await statesOf(db(), paymentHash)).toEqual(['failed', 'succeeded'])
      await expectSound(db())
    })

    test('releases its hold once when the worker finds it refused, however often the node reports the refusal', async () => {
      node.script = 'in flight'
      const issued = node.invoice(AMOUNT)
      const { paymentHash } = issued
      expect((await payInVain(issued)).status).toBe(504)
      await node.end(paymentHash, 'failed')
      await round(paymentHash)
      await node.end(paymentHash, 'failed', 'tells')
      await node.end(paymentHash, 'failed', 'tells')
      expect(await payer.balances()).toEqual([START, 0n])
      expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
      await expectSound(db())
    })
  })

  describe('whose outcome is not known', () => {
    test('keeps its hold after a lost answer, is looked up at the node, and returns the preimage on a retry', async () => {
      node.script = 'reply lost'
      const issued = node.invoice(AMOUNT)
      const { invoice, paymentHash } = issued
      expect(await payInVain(issued)).toMatchObject({ status: 504, body: { code: 'INTERNAL' } })
      await expectPending(paymentHash)
      await round(paymentHash)
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
      expect(await payer.pay(invoice)).toMatchObject({ status: 200, body: { total_budget_currency_amount: 1_000 } })
      expect(node.sent).toHaveLength(1)
      await expectSound(db())
    })

    test('never releases its hold because of its age, even after a day', async () => {
      node.script = 'in flight'
      const issued = node.invoice(AMOUNT)
      const { paymentHash } = issued
      expect((await payInVain(issued)).status).toBe(504)
      // The creation time is immutable, so the trigger is disabled for a moment.
      for (const text of [
        'alter table payments disable trigger payments_terms_immutable',
        `update payments set created_at = now() - interval '1 day' where payment_hash = '${paymentHash}'`,
        'alter table payments enable trigger payments_terms_immutable',
      ])
        await db().query({ name: `test_a_day_${text.slice(0, 22)}`, text })
      for (let count = 0; count < 5; count++) await round(paymentHash)
      await expectPending(paymentHash)
      await node.end(paymentHash, 'succeeded')
      await round(paymentHash)
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
    })

    test.each([
      ['is debited once when it settles later', 'succeeded', [START - AMOUNT, 0n]],
      ['releases its hold once when it fails later', 'failed', [START, 0n]],
    ] as const)('is answered 504, %s, and logs the budget drift', async (_, how, after) => {
      node.script = 'in flight'
      const issued = node.invoice(AMOUNT)
      const { paymentHash } = issued
      vasp.logged.length = 0
      const answer = await payInVain(issued)
      expect([answer.status, answer.body.code]).toEqual([504, 'INTERNAL'])
      expect(answer.body.message).toContain('pending')
      expect(vasp.logged.filter((line) => line.includes('"budgetDrift":1'))).toHaveLength(1)
      await expectPending(paymentHash)
      // Reported by two events and found by one worker round.
      await node.end(paymentHash, how, 'tells')
      await node.end(paymentHash, how, 'tells')
      await round(paymentHash)
      expect(await payer.balances()).toEqual(after)
      expect(await statesOf(db(), paymentHash)).toEqual([how])
      await expectSound(db())
    })

    test('does not settle with a wrong preimage, and logs an error; the correct preimage settles it', async () => {
      node.script = 'lies'
      const issued = node.invoice(AMOUNT)
      const { paymentHash } = issued
      vasp.logged.length = 0
      expect((await payInVain(issued)).status).toBe(504)
      await expectPending(paymentHash)
      expect(errors().filter((line) => line.includes('wrong preimage'))).toHaveLength(1)
      for (const preimage of ['', 'zz', 'A'.repeat(64), '0'.repeat(66)]) {
        const sendId = node.sent.at(-1)?.sendId ?? 0n
        await node.tell({ kind: 'sent', sendId, outcome: { kind: 'succeeded', preimage, feeMsats: 0n } })
      }
      await expectPending(paymentHash)
      await node.end(paymentHash, 'succeeded', 'tells')
      await untilIs(db(), paymentHash, 'succeeded')
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
      await expectSound(db())
    })
  })

  test('is booked once as the operator’s loss when it succeeds after its release, and stops sending; receiving continues', async () => {
    const own = await open()
    const loser = await newPayer(own, { SAT: START })
    const payee = await newPayer(own, { SAT: 0n })
    const before = await houseBalance(db(), 'fees')
    node.script = 'fails'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expect((await loser.pay(invoice)).status).toBe(400)
    await Promise.all([1, 2, 3].map(() => node.end(paymentHash, 'succeeded', 'tells')))
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    expect(await loser.balances()).toEqual([START, 0n])
    expect((await houseBalance(db(), 'fees')) - before).toBe(-AMOUNT)
    expect(own.logged.some((line) => line.includes('succeeded after it was refunded'))).toBe(true)
    node.script = 'arrives'
    expect(await loser.pay(node.invoice(AMOUNT).invoice)).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    const issued = await invoiceOf(own, payee.username, 'SAT', AMOUNT)
    await node.tell({ kind: 'received', paymentHash: issued.paymentHash, amountMsats: AMOUNT, account: undefined })
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db())
    await own.app.paymentWorker.stop()
  })
})
