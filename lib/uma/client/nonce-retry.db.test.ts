import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { json, lookUpAnswer, payAnswer, startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { requestOffer, requestQuote } from '@/test/uma/payable-vasp'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { InvoiceOffer } from './types'

describeOnBothEngines('A nonce that was used before by chance', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let alice: string
  let receiver: string
  /** The nonces of our messages, in the order of their arrival. */
  const nonces = { lookUp: [] as string[], pay: [] as string[] }

  beforeAll(async () => {
    other = await startOtherVasp()
    receiver = `$bob@${other.domain}`
    vasp = await makeTestVasp(db(), {
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
    })
    alice = await newUser(vasp, { USD: 100_000n })
  })
  beforeEach(() => {
    nonces.lookUp.length = nonces.pay.length = 0
    other.answers.lookUp = (request, response) => {
      noteLookUp(request)
      json(response, lookUpAnswer(other, receiver))
    }
    other.answers.pay = (_request, response, body) => {
      notePay(body)
      json(response, payAnswer(other, receiver, body))
    }
  })
  afterAll(() => other.stop())

  const noteLookUp = ({ url = '' }: IncomingMessage): void =>
    void nonces.lookUp.push(new URL(url, 'http://x').searchParams.get('nonce') ?? '')
  const notePay = (body: string): void => {
    const { payerData } = JSON.parse(body) as { payerData: { compliance: { signatureNonce: string } } }
    nonces.pay.push(payerData.compliance.signatureNonce)
  }
  const refuse = (response: ServerResponse): void => {
    response.writeHead(400, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ status: 'ERROR', code: 'INVALID_NONCE', reason: 'It came before.' }))
  }
  const offer = (): Promise<InvoiceOffer> => requestOffer(vasp, alice, receiver)
  const refused = expect.objectContaining({ status: 400, code: 'OTHER' }) as unknown

  test('our message is signed again with a new nonce when the other VASP refuses its nonce', async () => {
    const honest = { ...other.answers }
    other.answers.lookUp = (request, response, body) => {
      if (nonces.lookUp.length > 0) return honest.lookUp(request, response, body)
      noteLookUp(request)
      return refuse(response)
    }
    other.answers.pay = (request, response, body) => {
      if (nonces.pay.length > 0) return honest.pay(request, response, body)
      notePay(body)
      return refuse(response)
    }
    expect(await offer()).toMatchObject({ receivingUnits: 100n })
    expect([new Set(nonces.lookUp).size, new Set(nonces.pay).size]).toEqual([2, 2])
  })

  test('an answer whose nonce was used before is requested again', async () => {
    // The same answer twice, as if the second one had collided with the nonce of the first.
    const answer = lookUpAnswer(other, receiver)
    other.answers.lookUp = (request, response) => {
      noteLookUp(request)
      json(response, nonces.lookUp.length < 3 ? answer : lookUpAnswer(other, receiver))
    }
    await offer()
    expect(await offer()).toMatchObject({ receivingUnits: 100n })
    expect(nonces.lookUp).toHaveLength(3)
  })

  test.each(['lookUp', 'pay'] as const)(
    'a quote is requested again when the nonce of the answer (%s) was used before, and is refused the second time',
    async (which) => {
      const honest = { ...other.answers }
      const quote = (): Promise<unknown> => requestQuote({ vasp, payer: alice, receiver })
      const last = { lookUp: '', pay: '' }
      const repeat = { times: 0 }
      for (const each of ['lookUp', 'pay'] as const)
        other.answers[each] = (request, response, body) => {
          const isRepeated = each === which && repeat.times > 0
          if (isRepeated) {
            repeat.times -= 1
            if (each === 'lookUp') noteLookUp(request)
            else notePay(body)
            response.writeHead(200, { 'Content-Type': 'application/json' }).end(last[each])
            return
          }
          const end = response.end.bind(response)
          response.end = ((text: string) => end((last[each] = text))) as typeof response.end
          honest[each](request, response, body)
        }
      await quote()
      repeat.times = 1
      expect(await quote()).toMatchObject({ receiverAddress: receiver })
      expect(nonces.pay).toHaveLength(3)
      repeat.times = 2
      await expect(quote()).rejects.toEqual(refused)
      expect(nonces.pay).toHaveLength(5)
      expect(nonces.lookUp).toHaveLength(5)
    },
  )

  test('a VASP that always refuses the nonce is asked only twice', async () => {
    other.answers.pay = (_request, response, body) => {
      notePay(body)
      refuse(response)
    }
    await expect(offer()).rejects.toEqual(refused)
    expect(nonces.pay).toHaveLength(2)
    await expect(requestQuote({ vasp, payer: alice, receiver })).rejects.toEqual(refused)
    expect(nonces.pay).toHaveLength(4)
    other.answers.lookUp = (request, response) => {
      noteLookUp(request)
      refuse(response)
    }
    nonces.lookUp.length = 0
    await expect(offer()).rejects.toEqual(refused)
    expect(nonces.lookUp).toHaveLength(2)
  })

  test('a request that is refused for another reason is not repeated', async () => {
    other.answers.pay = (_request, response, body) => {
      notePay(body)
      response.writeHead(400).end(JSON.stringify({ status: 'ERROR', code: 'AMOUNT_OUT_OF_RANGE', reason: 'Too much.' }))
    }
    await expect(offer()).rejects.toEqual(refused)
    expect(nonces.pay).toHaveLength(1)
  })
})
