import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp } from '@/test/vasp/vasp'
import type { LightningNode } from '../lightning/node'

const AMOUNT = 1_000_000n

describeOnBothEngines('A success that arrives as the result of send() and as an event at the same moment', (db) => {
  const scripted = makeScriptedNode()
  const node: LightningNode = {
    ...scripted,
    async send(payment) {
      const outcome = await scripted.send(payment)
      // A node neither waits for its listeners nor handles their errors.
      if (outcome.kind === 'succeeded')
        void scripted.tell({ kind: 'sent', sendId: payment.sendId, outcome }).catch(() => undefined)
      return outcome
    },
  }
  /** The statements that settle a payment, and those that read it to do so. */
  const asked: string[] = []
  let failures = 0
  let payer: Payer

  beforeAll(async () => {
    const watched: Database = {
      ...db(),
      async query(statement, params) {
        if (['settle_payment', 'payment_by_id'].includes(statement.name)) asked.push(statement.name)
        if (statement.name === 'settle_payment' && failures-- > 0) throw new Error('the connection was lost')
        return db().query(statement, params)
      },
    }
    const vasp = await makeTestVasp(watched, { LIGHTNING_PEERS: scripted.peers }, undefined, node)
    payer = await newPayer(vasp, { SAT: 10_000_000n })
  })
  beforeEach(() => {
    asked.length = failures = 0
  })

  const pay = async (): Promise<void> => {
    const { invoice, paymentHash } = scripted.invoice(AMOUNT)
    expect((await payer.pay(invoice)).status).toBe(200)
    expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
    await expectSound(db())
  }

  test('is booked by one statement', async () => {
    await pay()
    expect(asked).toEqual(['settle_payment'])
  })

  test('is booked by the second caller when the first could not book it', async () => {
    failures = 1
    await pay()
    expect(asked).toEqual(['settle_payment', 'settle_payment'])
  })
})
