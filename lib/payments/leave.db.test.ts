import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recomputeBooks } from '@/test/books'
import { describeOnBothEngines } from '@/test/databases'
import { newPerson, walletOf } from '@/test/money'
import { makeScriptedNode, type ScriptedNode } from '@/test/scripted-node'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp'

const HASH_OF_NOTHING = /^[0-9a-f]{64}$/

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
    payer = await newPerson(vasp, { SAT: 2_000_000n })
    token = await vasp.connectionToken(payer, ['pay_invoice', 'lookup_invoice', 'list_transactions'])
  })

  const pay = (invoice: string, more: Record<string, unknown> = {}): Promise<Answer> =>
    vasp.post('/payments/bolt11', token, { invoice, ...more })
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
    expect((await vasp.deps.audit.run('everything')).breaches).toEqual([])
  }

  describe('succeeds', () => {
    test('takes the amount and the real fee, gives the rest of the hold back, and tells the preimage', async () => {
      node.feeMsats = 3_000n
      const { invoice, paymentHash } = node.invoice(1_000_000n)
      const { status, body } = await pay(invoice)
      expect([status, body]).toEqual([
        200,
        { preimage: expect.stringMatching(HASH_OF_NOTHING) as unknown, total_budget_currency_amount: 1_003 },
      ])
      expect(await balances()).toEqual([997_000n, 0n])
      const { body: found } = await vasp.get(`/invoices/${paymentHash}`, token)
      expect(found).toMatchObject({ type: 'outgoing', amount: 1_000_000, fees_paid: 3_000, preimage: body.preimage })
      await sound()
    })

    test('holds the larger of 1 % and 10 satoshis for the route while it is under way', async () => {
      node.script = 'in flight'
      const { invoice, paymentHash } = node.invoice(1_500_000n)
      const answer = await pay(invoice)
      expect([answer.status, answer.body.code]).toEqual([504, 'INTERNAL'])
      expect(await balances()).toEqual([2_000_000n - 1_515_000n, 1_515_000n])
      expect(await stateOf(paymentHash)).toEqual(['sending'])
      await node.end(paymentHash, 'succeeded', 'tells')
      expect(await balances()).toEqual([500_000n, 0n])
      await sound()
    })
  })
})
