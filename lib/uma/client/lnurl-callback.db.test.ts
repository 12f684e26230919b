import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { json, lookUpAnswer, newInvoice } from '@/test/uma/other-vasp'
import { requestOffer, startPayableVasp, type PayableVasp } from '@/test/uma/payable-vasp'

describeOnBothEngines('The callback of an LNURL receiver', (db) => {
  let payable: PayableVasp
  beforeAll(async () => {
    payable = await startPayableVasp(db())
  })
  afterAll(() => payable.other.stop())

  test.each([
    ['', '?amount=100000'],
    ['?id=a%20b&k1&sig=a+b/=', '?id=a%20b&k1&sig=a+b/=&amount=100000'],
    ['?user=%2Fbob&', '?user=%2Fbob&amount=100000'],
    ['?amount=1&x', '?x&amount=100000'],
  ])('keeps its query %j byte for byte', async (query, called) => {
    const { other, receiver, vasp, payer } = payable
    const { tag, callback, minSendable, maxSendable, metadata } = lookUpAnswer(other, receiver)
    const answer = { tag, callback: `${String(callback)}${query}`, minSendable, maxSendable, metadata }
    other.answers.lookUp = (_request, response) => json(response, answer)
    let seen: string | undefined
    other.answers.pay = (request, response) => {
      seen = request.url
      return json(response, { pr: newInvoice({ amountMsats: 100_000n }), routes: [] })
    }
    await requestOffer(vasp, payer, receiver.slice(1))
    expect(seen).toBe(`/pay${called}`)
  })
})
