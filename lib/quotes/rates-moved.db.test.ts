import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { CurrencyCode } from '@/lib/money/currencies'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { remoteReceiver } from '@/test/vasp/receivers'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { createQuote } from './create'

/** While this is set, the dollar is worth a tenth more and the euro a tenth less. */
const market = vi.hoisted(() => ({ moved: false }))
vi.mock(import('@/lib/money/currencies'), async (original) => {
  const rates = await original()
  const rateOf = (code: CurrencyCode) => {
    const { numerator, denominator } = rates.rateOf(code)
    if (!market.moved || !['USD', 'EUR'].includes(code)) return { numerator, denominator }
    return { numerator: numerator * (code === 'USD' ? 11n : 9n), denominator: denominator * 10n }
  }
  return { ...rates, rateOf }
})

describeOnBothEngines('A quote whose rates changed before it is executed', (db) => {
  let node: ScriptedNode
  let before: TestVasp
  let after: TestVasp

  beforeAll(async () => {
    node = makeScriptedNode()
    const env = { LIGHTNING_PEERS: node.peers }
    before = await makeTestVasp(db(), env, undefined, node)
    market.moved = true
    after = await makeTestVasp(db(), env, before.pair, node)
    market.moved = false
    expect(after.app.rates.current().snapshotId).not.toBe(before.app.rates.current().snapshotId)
  })
  afterEach(async () => {
    market.moved = false
    await expectSound(db())
  })

  describe.each(['sending', 'receiving'] as const)('with the %s side locked', (side) => {
    test('debits and credits the quoted amounts inside this VASP', async () => {
      const payer = await newUser(before, { USD: 100_000n })
      const bob = await newUser(before, { EUR: 0n })
      const token = await before.connectionToken(payer, ['fetch_quote', 'execute_quote'])
      const query = {
        sending_currency_code: 'USD',
        receiving_currency_code: 'EUR',
        locked_currency_amount: '1000',
        locked_currency_side: side,
        receiver_address: `$${bob}@localhost:3000`,
      }
      const { body: quote } = await before.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
      market.moved = true
      const path = `/quote/${String(quote.payment_hash)}`
      const { status, body } = await after.post(path, token, { budget_currency_code: 'EUR' })
      expect(status).toBe(200)
      expect((await walletOf(db(), payer, 'USD')).available).toBe(100_000n - BigInt(Number(quote.total_sending_amount)))
      expect((await walletOf(db(), bob, 'EUR')).available).toBe(BigInt(Number(quote.total_receiving_amount)))
      expect([quote.total_sending_amount, quote.total_receiving_amount]).toEqual(
        side === 'sending' ? [1_000, 920] : [1_087, 1_000],
      )
      // The budget amount also uses the rates of the quote: 0.92 EUR per dollar.
      expect(body.total_budget_currency_amount).toBe(side === 'sending' ? 920 : 1_001)
    })

    test('debits the quoted amount for a payment to another VASP', async () => {
      const payer = await newUser(before, { USD: 100_000n })
      const token = await before.connectionToken(payer, ['execute_quote'])
      const wallet = await walletOf(db(), payer, 'USD')
      const asked = { username: payer, connectionId: null, wallet, lockedSide: side, lockedAmount: 1_000n }
      const quote = await createQuote(before.app, remoteReceiver(node, 'EUR'), asked)
      market.moved = true
      expect((await after.post(`/quote/${quote.paymentHash}`, token, {})).status).toBe(200)
      expect((await walletOf(db(), payer, 'USD')).available).toBe(100_000n - quote.totalSendingAmount)
      expect(node.sent.at(-1)?.amountMsats).toBe(side === 'sending' ? 10_000_000n : 10_869_566n)
    })
  })
})
