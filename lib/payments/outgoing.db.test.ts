import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { recomputeBooks } from '@/test/vasp/books'
import { endLease, impatient, untilUnknown } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, onDatabase, type Answer, type TestVasp } from '@/test/vasp/vasp'
import type { Database } from '../platform/db/database'

describeOnBothEngines('A payment to another node', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: string
  let token: string

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 0n
    payer = await newUser(vasp, { SAT: 2_000_000n })
    token = await vasp.connectionToken(payer, ['pay_invoice', 'lookup_invoice', 'list_transactions'])
  })

  const pay = (invoice: string, more: Record<string, unknown> = {}): Promise<Answer> =>
    vasp.post('/payments/bolt11', token, { invoice, ...more })
  /** The answer to a payment whose outcome the node does not know. */
  const payInVain = async (invoice: string, paymentHash: string): Promise<Answer> => {
    const answer = await impatient(vasp).post('/payments/bolt11', token, { invoice })
    await untilUnknown(db(), paymentHash)
    return answer
  }
  const balances = async (): Promise<[bigint, bigint]> => {
    const { available, held } = await walletOf(db(), payer, 'SAT')
    return [available, held]
  }
  const stateOf = async (paymentHash: string): Promise<unknown> => {
    const rows = await db().query<{ state: string }>(
      { name: 'test_states', text: `select state from payments where payment_hash = $1 order by id` },
      [paymentHash],
    )
    return rows.map(({ state }) => state)
  }
  const sound = async (): Promise<void> => {
    expect(await recomputeBooks(db())).toEqual([])
    expect((await vasp.app.audit.run('everything')).breaches).toEqual([])
  }

  describe('that succeeds', () => {
    test('logs which call made which payment', async () => {
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      const { headers } = await pay(invoice)
      const text = `select id from payments where payment_hash = $1`
      const [row] = await db().query<{ id: bigint }>({ name: 'test_payment_id', text }, [paymentHash])
      const line = vasp.logged.findLast((each) => each.includes('the call waits for its payment'))
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        requestId: headers.get('x-request-id'),
        payment: String(row?.id),
      })
    })

    test('holds a fee limit of 1 %, at least 10 satoshis, while it is pending', async () => {
      node.script = 'in flight'
      const { invoice, paymentHash } = node.invoice(1_500_000n)
      const answer = await payInVain(invoice, paymentHash)
      expect([answer.status, answer.body.code]).toEqual([504, 'INTERNAL'])
      expect(await balances()).toEqual([2_000_000n - 1_515_000n, 1_515_000n])
      expect(await stateOf(paymentHash)).toEqual(['sending'])
      await node.end(paymentHash, 'succeeded', 'tells')
      expect(await balances()).toEqual([500_000n, 0n])
      await sound()
    })
  })

  describe('with simultaneous copies', () => {
    /** This many times, the hold finds a copy that came first, and the next lookup finds that the copy failed. */
    function withFailingCopies(copies: number): { readonly on: TestVasp; readonly holds: () => number } {
      let holds = 0
      const database: Database = {
        ...db(),
        query: (statement, params) => {
          if (statement.name !== 'hold_payment') return db().query(statement, params)
          holds += 1
          return holds <= copies
            ? Promise.resolve([{ outcome: 'known', payment_id: 1n }] as never[])
            : db().query(statement, params)
        },
      }
      return { on: onDatabase(vasp, database), holds: () => holds }
    }
    const payOn = (on: TestVasp, invoice: string): Promise<Answer> => on.post('/payments/bolt11', token, { invoice })

    test('makes its own attempt after nineteen failed copies, and never mistakes a copy for an empty wallet', async () => {
      const { on, holds } = withFailingCopies(19)
      expect((await payOn(on, node.invoice(1_000_000n).invoice)).status).toBe(200)
      expect(holds()).toBe(20)
      expect(await balances()).toEqual([1_000_000n, 0n])
      await sound()
    })

    test('is refused as failed after twenty failed copies, and debits nothing', async () => {
      const { on, holds } = withFailingCopies(Infinity)
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      expect(await payOn(on, invoice)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      expect(holds()).toBe(20)
      expect(await stateOf(paymentHash)).toEqual([])
      expect(await balances()).toEqual([2_000_000n, 0n])
    })
  })

  describe('with nineteen failed copies and one pending copy', () => {
    test('joins the pending copy, which may still succeed', async () => {
      node.script = 'in flight'
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      let holds = 0
      const database: Database = {
        ...db(),
        async query(statement, params) {
          if (statement.name !== 'hold_payment') return db().query(statement, params)
          holds += 1
          // The twentieth copy stays pending.
          if (holds === 20) expect((await payInVain(invoice, paymentHash)).status).toBe(504)
          return [{ outcome: 'known', payment_id: 1n }] as never[]
        },
      }
      const on = impatient(onDatabase(vasp, database))
      expect((await on.post('/payments/bolt11', token, { invoice })).status).toBe(504)
      await node.end(paymentHash, 'succeeded', 'tells')
      expect((await pay(invoice)).status).toBe(200)
      expect(await balances()).toEqual([1_000_000n, 0n])
      await sound()
    })
  })

  describe('whose node is removed from LIGHTNING_PEERS while it is pending', () => {
    test.each([
      ['is settled when that node reports success', 'succeeded', [1_000_000n, 0n]],
      ['is released when that node reports a failure', 'failed', [2_000_000n, 0n]],
    ] as const)('%s; a new payment has no route', async (_, how, after) => {
      node.script = 'in flight'
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      expect((await payInVain(invoice, paymentHash)).status).toBe(504)
      // The next process has no peers in its settings. The node can still be asked about the payment.
      const lonely = { ...node, accountFor: () => undefined }
      const next = await makeTestVasp(db(), { PAYMENT_WAIT_SECONDS: '1' }, vasp.pair, lonely)
      expect(next.app.settings.lightningPeers).toEqual([])
      await endLease(db(), paymentHash)
      await next.app.paymentWorker.reconcile()
      expect(await stateOf(paymentHash)).toEqual(['sending'])
      await node.end(paymentHash, how)
      await endLease(db(), paymentHash)
      await next.app.paymentWorker.reconcile()
      expect(await stateOf(paymentHash)).toEqual([how])
      expect(await balances()).toEqual(after)
      const refused = await next.post('/payments/bolt11', token, { invoice: node.invoice(1_000n).invoice })
      expect(refused).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      await sound()
      await next.app.paymentWorker.stop()
    })
  })
})
