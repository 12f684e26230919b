import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound, houseBalance, newPayer, type Payer } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { parseAddress } from '../address'
import { lookUp } from '../client/look-up'
import type { InvoiceOffer, InvoiceRequest } from '../client/types'
import { createUmaInvoice } from '../invoices/create'

/** 1.5 %. */
const FEE = { RECEIVE_FEE_BPS: '150' }

describeOnTwoDatabases('A VASP with a receive fee', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: Payer
  let bob: string

  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb(), FEE)
    ;({ north, south } = both)
    alice = await newPayer(north, { SAT: 10n ** 10n })
    bob = await newUser(south, { EUR: 0n, SAT: 0n })
  })
  afterAll(() => both.stop())

  const offerTo = async (
    address: string,
    code: string,
    lock: InvoiceRequest['lock'],
    by = north,
  ): Promise<InvoiceOffer> => {
    const receiver = await lookUp(by.app, alice.username, parseAddress(address))
    const currency = receiver.currencies.find((each) => each.code === code)
    if (currency === undefined) throw new Error('no currency')
    return receiver.requestInvoice({
      username: alice.username,
      currency,
      lock,
      expirySeconds: 600,
      callbackId: randomUUID(),
    })
  }
  const pays = async (offer: InvoiceOffer, code: 'EUR' | 'SAT'): Promise<{ got: bigint; kept: bigint }> => {
    const read = async (): Promise<[bigint, bigint]> => [
      (await walletOf(southDb(), bob, code)).available,
      await houseBalance(southDb(), 'fees'),
    ]
    const before = await read()
    expect((await alice.pay(offer.invoice.invoice)).status).toBe(200)
    const after = await read()
    await expectSound(northDb())
    await expectSound(southDb())
    return { got: after[0] - before[0], kept: after[1] - before[1] }
  }

  describe('the receive fee in an offer', () => {
    test('is added to the amount when the receiving side is locked', async () => {
      const offer = await offerTo(`$${bob}@${south.domain}`, 'EUR', { side: 'receiving', units: 1_000n })
      // 10.00 EUR is 10,869,566 msats, rounded up, and 1.5 % of that is 163,044 msats.
      expect(offer).toMatchObject({ receivingUnits: 1_000n, feeMsats: 163_044n, amountMsats: 10_869_566n + 163_044n })
      expect(await pays(offer, 'EUR')).toEqual({ got: 1_000n, kept: 163_044n })
    })

    test('is part of the amount when the sending side is locked', async () => {
      const offer = await offerTo(`$${bob}@${south.domain}`, 'EUR', { side: 'sending', msats: 10_000_000n })
      // 9,850,000 msats is 906.2 cents.
      expect(offer).toMatchObject({ receivingUnits: 906n, feeMsats: 150_000n, amountMsats: 10_000_000n })
      expect(await pays(offer, 'EUR')).toEqual({ got: 906n, kept: 150_000n })
    })
  })

  test('the receive fee is also charged on a plain LNURL payment, whose offer cannot state it', async () => {
    const offer = await offerTo(`${bob}@${south.domain}`, 'SAT', { side: 'sending', msats: 1_000_000n })
    expect(await pays(offer, 'SAT')).toEqual({ got: 985_000n, kept: 15_000n })
  })

  test('a user of the same VASP pays the receive fee of an offer made to another VASP, but none on an internal payment', async () => {
    const carol = await newPayer(south, { SAT: 10n ** 9n })
    const offer = await offerTo(`$${bob}@${south.domain}`, 'SAT', { side: 'receiving', units: 1_000n })
    const before = await houseBalance(southDb(), 'fees')
    expect((await carol.pay(offer.invoice.invoice)).status).toBe(200)
    expect((await houseBalance(southDb(), 'fees')) - before).toBe(15_000n)
    const receiver = await lookUp(south.app, carol.username, parseAddress(`$${bob}@${south.domain}`))
    const [currency] = receiver.currencies
    if (currency === undefined) throw new Error('no currency')
    const request = { username: carol.username, currency, expirySeconds: 600, callbackId: 'x' }
    const own = await receiver.requestInvoice({ ...request, lock: { side: 'receiving', units: 100n } })
    expect(own.feeMsats).toBe(0n)
    await expectSound(southDb())
  })

  test('a UMA invoice whose amount plus receive fee exceeds the maximum payment is refused', async () => {
    const { currencies } = await lookUp(north.app, alice.username, parseAddress(`$${bob}@${south.domain}`))
    const most = currencies.find(({ code }) => code === 'SAT')?.max ?? 0n
    const make = (amount: bigint): Promise<unknown> =>
      createUmaInvoice(south.app, { username: bob, code: 'SAT', amount, expirySeconds: 600 })
    expect(await make(most)).toMatchObject({ uuid: expect.any(String) as string })
    await expect(make(most + 1n)).rejects.toMatchObject({ status: 400 })
  })

  test('an amount is rejected when less than one unit remains after the receive fee', async () => {
    await expect(offerTo(`$${bob}@${south.domain}`, 'EUR', { side: 'sending', msats: 10_900n })).rejects.toMatchObject({
      status: 400,
    })
  })
})
