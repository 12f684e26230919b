import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { priceError, QUOTE_ERRORS } from '@/app/(dashboard)/wallets/send/errors'
import { describeOnBothEngines } from '@/test/databases/databases'
import { CURRENCIES, json, lookUpAnswer, newInvoice, type OtherVasp } from '@/test/uma/other-vasp'
import { requestOffer, startPayableVasp } from '@/test/uma/payable-vasp'
import type { TestVasp } from '@/test/vasp/vasp'
import { isVaspError } from '../../platform/errors'
import { priceProblem } from '../../quotes/errors'
import { errorKey } from '../../web/form-errors'
import { parseAddress } from '../address'
import { lookUp } from './look-up'
import type { InvoiceOffer, Receiver } from './types'

describeOnBothEngines('The message for a payer when another VASP refuses', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let alice: string
  let receiver: string

  beforeEach(async () => {
    other?.stop()
    ;({ vasp, other, receiver, payer: alice } = await startPayableVasp(db()))
  })
  afterAll(() => other.stop())

  const find = (address = receiver): Promise<Receiver> => lookUp(vasp.app, alice, parseAddress(address))
  const requestInvoice = (address = receiver): Promise<InvoiceOffer> => requestOffer(vasp, alice, address)
  const sentences = async (work: Promise<unknown>): Promise<{ api: string; page: string }> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!isVaspError(error)) throw new Error('this was not refused', { cause: error })
    return { api: error.message, page: QUOTE_ERRORS[errorKey(priceError(priceProblem(error, 'price')))] ?? '' }
  }
  const refusing = (status: number, code?: string): OtherVasp['answers']['pay'] => {
    const body = { status: 'ERROR', reason: 'Go to http://evil.example', ...(code === undefined ? {} : { code }) }
    return (_request, response) => json(response, body, status)
  }

  describe.each(['lookup', 'pay request'] as const)('a %s', (step) => {
    test.each<[number, string | undefined, RegExp, RegExp]>([
      [403, undefined, /does not accept payments from/, /does not accept payments from/],
      [403, 'COUNTERPARTY_NOT_ALLOWED', /does not accept payments from/, /does not accept payments from/],
      [400, 'SENDER_NOT_ACCEPTED', /does not accept payments from/, /does not accept payments from/],
      [403, 'USER_NOT_READY', /receiver cannot receive payments right now/, /cannot receive payments right now/],
      [403, 'VELOCITY_LIMIT_EXCEEDED', /Try again later/, /Try again later/],
      [401, 'INVALID_SIGNATURE', /could not verify.*operator/, /could not verify.*operator/],
      [424, 'COUNTERPARTY_PUBKEY_FETCH_ERROR', /Try again later/, /Try again later/],
      [429, undefined, /Try again later/, /Try again later/],
      [500, 'INTERNAL_ERROR', /Try again later/, /Try again later/],
      [503, undefined, /Try again later/, /Try again later/],
    ])('with %d %s says what happened and what to do', async (status, code, api, page) => {
      if (step === 'lookup') other.answers.lookUp = refusing(status, code)
      else other.answers.pay = refusing(status, code)
      const read = await sentences(step === 'lookup' ? find() : requestInvoice())
      expect(read.api).toMatch(api)
      expect(read.api).toContain(other.domain)
      expect(read.page).toMatch(page)
      for (const sentence of Object.values(read)) expect(sentence).not.toMatch(/another amount|evil/)
    })
  })

  test('names the lookup and no amount when a lookup is refused without a known code', async () => {
    for (const status of [400, 410]) {
      other.answers.lookUp = refusing(status)
      for (const address of [receiver, receiver.slice(1)]) {
        const { api } = await sentences(find(address))
        expect(api).toBe(`${other.domain} refused the lookup (${status}). Check the address, or ask the receiver.`)
      }
    }
  })

  test('suggests another amount or another currency when the current one was refused', async () => {
    other.answers.pay = refusing(400, 'AMOUNT_OUT_OF_RANGE')
    expect((await sentences(requestInvoice())).api).toMatch(/refused the payment \(400\)\. Try another amount/)
    other.answers.pay = refusing(400, 'INVALID_CURRENCY')
    expect((await sentences(requestInvoice())).api).toMatch(/refused the payment \(400\)\. Try another currency/)
  })

  test('leaves out the status when plain LNURL refuses with 200', async () => {
    other.answers.lookUp = refusing(200)
    expect((await sentences(find(receiver.slice(1)))).api).toMatch(/refused the lookup\. Check the address/)
  })

  test('suggests the address with the dollar sign when a VASP accepts UMA payments only', async () => {
    other.answers.lookUp = refusing(403, 'NON_UMA_LNURL_NOT_SUPPORTED')
    expect((await sentences(find(receiver.slice(1)))).api).toBe(
      `${other.domain} accepts UMA payments only. Try ${receiver}.`,
    )
  })

  test('suggests the address without the dollar sign when a VASP gives a plain LNURL answer to a UMA lookup', async () => {
    const { tag, callback, minSendable, maxSendable, metadata } = lookUpAnswer(other, receiver)
    other.answers.lookUp = (_request, response) => json(response, { tag, callback, minSendable, maxSendable, metadata })
    expect((await sentences(find())).api).toBe(
      `${other.domain} does not support UMA. Try the address without the $: bob@${other.domain}.`,
    )
    other.answers.pay = (_request, response) =>
      json(response, { pr: newInvoice({ amountMsats: 100_000n }), routes: [] })
    expect(await requestInvoice(receiver.slice(1))).toMatchObject({ receivingUnits: 100n })
  })

  test('names the currencies of a receiver that accepts none that this VASP can send', async () => {
    const [usd] = CURRENCIES
    const currencies = ['USDC', 'USD-T', '<b>'].map((code) => ({ ...usd, code }))
    other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver, { currencies }))
    expect((await sentences(find())).api).toBe(
      `${receiver} accepts only currencies that this VASP cannot send: USDC, USD-T.`,
    )
    other.answers.lookUp = (_request, response) =>
      json(response, lookUpAnswer(other, receiver, { currencies: [null, ...currencies, usd] }))
    expect((await find()).currencies.map(({ code }) => code)).toEqual(['USD'])
  })
})
