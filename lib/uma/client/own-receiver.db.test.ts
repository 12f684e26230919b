import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { closeUser } from '@/lib/accounts/users'
import { rateOf } from '@/lib/money/currencies'
import { limitsOf } from '@/lib/money/limits'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { parseAddress } from '../address'
import { lookUp } from './look-up'
import type { InvoiceRequest, Receiver } from './types'

describeOnBothEngines('A receiver of this VASP', (db) => {
  let vasp: TestVasp
  let bob: string
  let receiver: Receiver

  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    bob = await newUser(vasp, { JPY: 0n, SAT: 0n })
    receiver = await find(`$${bob}@localhost:3000`)
  })

  const find = (address: string): Promise<Receiver> => lookUp(vasp.app, 'somebody', parseAddress(address))
  const requestInvoice = (code: string, lock: InvoiceRequest['lock'], more: Partial<InvoiceRequest> = {}) => {
    const currency = receiver.currencies.find((each) => each.code === code)
    if (currency === undefined) throw new Error(`no ${code}`)
    return receiver.requestInvoice({
      username: 'somebody',
      currency,
      lock,
      expirySeconds: 600,
      callbackId: randomUUID(),
      ...more,
    })
  }
  const stored = async (paymentHash: string): Promise<Record<string, unknown> | undefined> => {
    const text = `select r.protocol, r.payer_address, r.comment, i.user_id, i.fixed_credit, w.currency_code
                  from invoices i join uma_pay_requests r on r.invoice_id = i.id join wallets w on w.id = i.wallet_id
                  where i.payment_hash = $1`
    const [row] = await db().query({ name: 'test_pay_request', text }, [paymentHash])
    return row
  }

  test('a lookup returns the currencies with their limits in wallet order, with and without the dollar sign in the address', async () => {
    for (const dollar of ['$', '']) {
      const { protocol, currencies, minMsats, maxMsats } = await find(`${dollar}${bob}@localhost:3000`)
      expect([protocol, currencies.map(({ code }) => code)]).toEqual(['own', ['JPY', 'SAT']])
      expect(currencies[0]).toMatchObject({ decimals: 0, ...limitsOf('JPY', rateOf), msatsPerUnit: 1_000_000 / 154 })
      expect([minMsats, maxMsats]).toEqual([1_000n, 10_000_000_000n])
    }
  })

  test('a lookup of a missing or closed user fails with 404', async () => {
    const gone = await newUser(vasp, { SAT: 0n })
    await closeUser({ db: db() }, gone)
    for (const name of ['nobody', gone])
      await expect(find(`$${name}@localhost:3000`)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test('a lookup of a suspended user fails for the reason that other VASPs receive', async () => {
    const paused = await newUser(vasp, { SAT: 0n })
    await db().prisma.user.update({ where: { id: paused }, data: { status: 'suspended' } })
    await expect(find(`$${paused}@localhost:3000`)).rejects.toMatchObject({
      status: 400,
      code: 'OTHER',
      message: expect.stringContaining(`$${paused}@localhost:3000 cannot receive payments right now.`),
    })
  })

  test('the receiver gets exactly the locked units, at their cost rounded up', async () => {
    const { invoice, amountMsats, receivingUnits, feeMsats } = await requestInvoice('JPY', {
      side: 'receiving',
      units: 100n,
    })
    // 100 yen at 1,000,000 / 154 msats: 649,350.6…
    expect([amountMsats, receivingUnits, feeMsats]).toEqual([649_351n, 100n, 0n])
    expect(invoice.amountMsats).toBe(649_351n)
    expect(await stored(invoice.paymentHash)).toMatchObject({
      protocol: 'own',
      payer_address: '$somebody@localhost:3000',
      user_id: bob,
      fixed_credit: 100n,
      currency_code: 'JPY',
    })
  })

  test('the receiver gets the value of the locked millisatoshis, rounded down', async () => {
    const { amountMsats, receivingUnits } = await requestInvoice('JPY', { side: 'sending', msats: 649_350n })
    expect([amountMsats, receivingUnits]).toEqual([649_350n, 99n])
  })

  describe('a request for an invoice is rejected when', () => {
    test('the amount buys less than one unit', async () => {
      await expect(requestInvoice('JPY', { side: 'sending', msats: 6_000n })).rejects.toMatchObject({ status: 400 })
    })
    test('the comment is too long for an invoice', async () => {
      const lock = { side: 'sending', msats: 9_000n } as const
      await expect(requestInvoice('SAT', lock, { comment: 'x'.repeat(151) })).rejects.toMatchObject({ status: 400 })
      const { invoice } = await requestInvoice('SAT', lock, { comment: '🍕'.repeat(75) })
      expect(await stored(invoice.paymentHash)).toMatchObject({ comment: '🍕'.repeat(75) })
    })
  })
})
