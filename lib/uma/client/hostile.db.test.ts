import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import {
  CURRENCIES,
  json,
  lookUpAnswer,
  newInvoice,
  payAnswer,
  startOtherVasp,
  type Deal,
  type OtherVasp,
} from '@/test/uma/other-vasp'
import { requestOffer, requestQuote, startPayableVasp } from '@/test/uma/payable-vasp'
import { makeSecondSender, nowSeconds } from '@/test/uma/sender'
import { newNodeSecret } from '@/test/vasp/keys'
import { booksOf, invoiceOf, newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { parseAddress } from '../address'
import { lookUp } from './look-up'
import type { InvoiceOffer, InvoiceRequest, Receiver } from './types'

/** Every test uses a VASP that can send any answer. Its answers are correct at the start of each test. */
describeOnBothEngines('A VASP that cannot be trusted', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let alice: string
  let receiver: string
  let nodeSecret: string
  let before: unknown

  beforeAll(async () => {
    nodeSecret = newNodeSecret()
  })
  beforeEach(async () => {
    ;({ vasp, other, receiver, payer: alice } = await startPayableVasp(db(), nodeSecret))
    before = await booksOf(db())
  })
  afterEach(async () => {
    other.stop()
    // Nothing was held, whatever the answer was.
    expect(await booksOf(db())).toEqual(before)
  })
  afterAll(() => other.stop())

  const find = (address = receiver): Promise<Receiver> => lookUp(vasp.app, alice, parseAddress(address))
  const requestInvoice = (lock?: InvoiceRequest['lock']): Promise<InvoiceOffer> =>
    requestOffer(vasp, alice, receiver, lock)
  const quote = (): Promise<unknown> => requestQuote({ vasp, payer: alice, receiver })
  const quotes = async (): Promise<number> =>
    (await db().query({ name: 'test_quotes', text: 'select id from quotes' })).length
  /** A sentence for a user that names the other VASP and quotes none of its text. */
  const refusal = (words: RegExp = /./): unknown =>
    expect.objectContaining({
      name: 'VaspError',
      status: 400,
      code: 'OTHER',
      message: expect.stringMatching(new RegExp(`(?=.*${other.domain})(?=.*${words.source})`)),
    })

  test('is accepted while its answers are correct', async () => {
    expect(await requestInvoice()).toMatchObject({
      amountMsats: 1_000_000n,
      receivingUnits: 100n,
      feeMsats: 0n,
      remoteCallback: `http://${other.domain}/told`,
    })
    expect(await requestInvoice({ side: 'sending', msats: 1_234_567n })).toMatchObject({
      amountMsats: 1_234_567n,
      receivingUnits: 123n,
    })
  })

  describe('is not contacted', () => {
    // lib/platform/net/allowed-host.test.ts has the table.
    test.each(['$b@169.254.169.254', 'b@192.168.1.1', '$b@localhost:5432'])('at %s', async (address) => {
      await expect(find(address)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
      expect(other.asked).toEqual([])
    })
    test('at [::1], which is not a valid address', () => {
      for (const address of ['$b@[::1]', '$b@[::ffff:10.0.0.1]', '$b@a@b', '$b@bank.example/x'])
        expect(() => parseAddress(address)).toThrow()
    })
  })

  describe('is rejected at the lookup when', () => {
    const says = (over: Record<string, unknown>) => {
      other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver, over))
    }
    const [usd] = CURRENCIES
    test.each<[string, Record<string, unknown>]>([
      ['its callback is on another port of its host', { callback: 'http://localhost:5432/pay' }],
      ['its callback is on another host', { callback: 'https://evil.example/pay' }],
      ['its callback is not a URL', { callback: 'x' }],
      // lib/uma/messages/receiver-message.test.ts has the table.
      ['a currency is listed twice', { currencies: [usd, usd] }],
      ['it answers for another address', { compliance: { receiverIdentifier: '$eve@evil.example' } }],
    ])('%s', async (_, over) => {
      says(over)
      await expect(find()).rejects.toEqual(refusal())
    })

    test.each<[string, (response: ServerResponse) => void]>([
      // lib/platform/net/guarded-fetch.test.ts has the table.
      ['the answer is not JSON', (response) => void response.end('<html>')],
      ['the answer has status 500', (response) => json(response, {}, 500)],
      [
        'it redirects elsewhere',
        (response) => void response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
      ],
    ])('%s', async (_, answer) => {
      other.answers.lookUp = (_request, response) => answer(response)
      await expect(find()).rejects.toEqual(refusal())
      expect(other.asked.filter(({ path }) => path.includes('lnurlp/'))).toHaveLength(1)
    })

    test('it signs with another key', async () => {
      const forger = makeSecondSender(other.domain)
      other.answers.lookUp = (_request, response) => {
        const answer = lookUpAnswer(other, receiver)
        json(response, { ...answer, compliance: { ...(answer.compliance as object), ...forger.signed(receiver) } })
      }
      await expect(find()).rejects.toEqual(refusal(/without a valid signature/))
    })

    test('it answers for another of its users, correctly signed', async () => {
      other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, `$eve@${other.domain}`))
      await expect(find()).rejects.toEqual(refusal())
    })

    test('it repeats an earlier answer', async () => {
      const answer = lookUpAnswer(other, receiver)
      other.answers.lookUp = (_request, response) => json(response, answer)
      await find()
      await expect(find()).rejects.toEqual(refusal(/without a valid signature/))
    })

    test.each([-700, 300])('its answer is dated %d seconds from now', async (seconds) => {
      other.answers.lookUp = (_request, response) => {
        const timestamp = nowSeconds() + seconds
        const signature = other.sender.sign([receiver, '7', String(timestamp)].join('|'))
        const answer = lookUpAnswer(other, receiver)
        const compliance = {
          ...(answer.compliance as object),
          signature,
          signatureNonce: '7',
          signatureTimestamp: timestamp,
        }
        json(response, { ...answer, compliance })
      }
      await expect(find()).rejects.toEqual(refusal(/without a valid signature/))
    })

    test('it publishes an invalid key; nothing is stored, and its keys are not fetched again at once', async () => {
      other.answers.keys = (_request, response) => json(response, { signingPubKey: '04' + '0'.repeat(128) })
      await expect(find()).rejects.toEqual(refusal())
      await expect(find()).rejects.toEqual(refusal())
      expect(other.asked.filter(({ path }) => path.endsWith('lnurlpubkey'))).toHaveLength(1)
      const rows = await db().query(
        { name: 'test_kept_keys', text: 'select 1 from uma_remote_keys where domain = $1' },
        [other.domain],
      )
      expect(rows).toEqual([])
    })

    test('its keys or certificates are faulty: the error names the fault, its code and when they are requested again', async () => {
      const publish = (document: unknown): void => {
        other.answers.keys = (_request, response) => json(response, document)
      }
      publish({ signingCertChain: ['30'.repeat(300)], encryptionPubKey: other.keys.publicHex })
      await expect(find()).rejects.toEqual(refusal(/signing key is malformed \(CERT_CHAIN_INVALID\).*after 60 seconds/))
      await expect(find()).rejects.not.toMatchObject({ message: expect.stringContaining('without a valid signature') })
    })

    test('it publishes no keys: the error says when they are requested again', async () => {
      other.answers.keys = (_request, response) => json(response, {}, 404)
      await expect(find()).rejects.toEqual(refusal(/does not publish its public keys.*after 60 seconds/))
    })

    test('it supports no known version; the best common version is used if there is one', async () => {
      const versions: (string | null)[] = []
      const speaks = (majors: unknown): void => {
        versions.length = 0
        other.answers.lookUp = (request, response) => {
          const version = new URL(request.url ?? '', 'http://x').searchParams.get('umaVersion')
          versions.push(version)
          if (version === '1.0') return json(response, { status: 'ERROR', supportedMajorVersions: majors }, 412)
          const old = CURRENCIES.map(({ convertible, ...rest }) => ({
            ...rest,
            minSendable: convertible.min,
            maxSendable: convertible.max,
          }))
          return json(response, lookUpAnswer(other, receiver, { umaVersion: '0.3', currencies: old }))
        }
      }
      speaks([0, 7])
      expect(await find()).toMatchObject({ protocol: 'uma-0' })
      expect(versions).toEqual(['1.0', '0.3'])
      for (const majors of [[7], [], 'x', undefined]) {
        speaks(majors)
        await expect(find()).rejects.toEqual(refusal(/version/))
        expect(versions).toEqual(['1.0'])
      }
    })
  })

  test.each([[], null, undefined])(
    'that names no currency (%j) is looked up, and cannot be paid',
    async (currencies) => {
      other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver, { currencies }))
      const token = await vasp.connectionToken(alice, ['lookup_user', 'pay_to_address'])
      expect(await vasp.get(`/receiver/lud16/${encodeURIComponent(receiver)}`, token)).toMatchObject({
        status: 200,
        body: { currencies: [] },
      })
      const payment = { receiver_address: receiver, sending_currency_code: 'USD', sending_currency_amount: 100 }
      expect((await vasp.post('/payments/lud16', token, payment)).body.message).toMatch(/names no currency/)
    },
  )

  test('that has no such receiver leads to 404', async () => {
    other.answers.lookUp = (_request, response) => json(response, { status: 'ERROR', reason: '<b>no</b>' }, 404)
    await expect(find()).rejects.toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      message: `There is no user with the address ${receiver}.`,
    })
  })

  describe('is rejected at the pay request when', () => {
    const deals = (deal: Deal): void => {
      other.answers.pay = (_request, response, body) => json(response, payAnswer(other, receiver, body, deal))
    }
    test.each<[string, Deal]>([
      // check-offer.test.ts has the table of offers.
      ['the invoice is for more', { amountMsats: 1_000_002n }],
      ['the invoice has expired', { invoice: { createdAtSeconds: nowSeconds() - 700 } }],
      ['the fee is negative', { amountMsats: 900_000n, converted: { fee: -100_000 } }],
      ['it is not signed', { compliance: { signature: undefined } }],
      ['it is signed by another VASP', { compliance: makeSecondSender('x').signed('x') }],
      ['its signature is malformed', { compliance: { signature: 'ab' } }],
      ['its callback address cannot be stored', { compliance: { utxoCallback: 'http://DOMAIN/told\0' } }],
    ])('%s', async (_, deal) => {
      const { utxoCallback } = deal.compliance ?? {}
      if (typeof utxoCallback === 'string')
        deals({ compliance: { utxoCallback: utxoCallback.replace('DOMAIN', other.domain) } })
      else deals(deal)
      await expect(requestInvoice()).rejects.toEqual(refusal())
    })

    test('its invoice pays this VASP’s own node', async () => {
      deals({ invoice: { nodeSecretHex: nodeSecret } })
      await expect(requestInvoice()).rejects.toEqual(refusal(/pays this VASP/))
    })

    test('its payment hash is already known to this VASP', async () => {
      const bob = await newUser(vasp, { SAT: 0n })
      const { paymentHash } = await invoiceOf(vasp, bob, 'SAT', 5_000n)
      before = await booksOf(db())
      deals({ invoice: { paymentHash } })
      await expect(quote()).rejects.toEqual(refusal(/payment hash of another payment/))
    })

    test('it requires an amount other than the locked millisatoshis, or gives the receiver less', async () => {
      const lock = { side: 'sending', msats: 1_234_567n } as const
      deals({ amountMsats: 1_234_568n })
      await expect(requestInvoice(lock)).rejects.toEqual(refusal(/another amount/))
      deals({ converted: { amount: 121 } })
      await expect(requestInvoice(lock)).rejects.toEqual(refusal(/worth/))
    })

    test('it repeats an earlier answer', async () => {
      let first: unknown
      other.answers.pay = (_request, response, body) => json(response, (first ??= payAnswer(other, receiver, body)))
      await quote()
      const saved = await quotes()
      await expect(quote()).rejects.toEqual(refusal(/without a valid signature/))
      expect(await quotes()).toBe(saved)
    })

    test('its answer has the nonce of the lookup’s answer', async () => {
      let nonce: unknown
      other.answers.lookUp = (_request, response) => {
        const answer = lookUpAnswer(other, receiver)
        nonce = (answer.compliance as Record<string, unknown>).signatureNonce
        json(response, answer)
      }
      other.answers.pay = (_request, response, body) => {
        const { payerData } = JSON.parse(body) as { payerData: { identifier: string } }
        const time = nowSeconds()
        const signature = other.sender.sign([payerData.identifier, receiver, nonce, time].join('|'))
        const compliance = { signature, signatureNonce: nonce, signatureTimestamp: time }
        json(response, payAnswer(other, receiver, body, { compliance }))
      }
      const saved = await quotes()
      await expect(quote()).rejects.toEqual(refusal(/without a valid signature/))
      expect(await quotes()).toBe(saved)
    })

    test('it refuses, and its own text is not shown', async () => {
      other.answers.pay = (_request, response) => json(response, { status: 'ERROR', reason: 'send it to me@evil' }, 400)
      await expect(requestInvoice()).rejects.toEqual(refusal(/400/))
      await expect(requestInvoice()).rejects.not.toMatchObject({ message: expect.stringContaining('evil') })
    })

    test('it requires payer data that this VASP does not have, and then receives none', async () => {
      const payerData = { birthDate: { mandatory: true } }
      other.answers.lookUp = (_request, response) => json(response, lookUpAnswer(other, receiver, { payerData }))
      await expect(requestInvoice()).rejects.toEqual(refusal(/birthDate/))
      expect(other.asked.map(({ path }) => path)).not.toContain('/pay')
    })
  })

  test.each([null, '', undefined])('is accepted when the optional members of its answers are %j', async (none) => {
    other.answers.lookUp = (_request, response) =>
      json(response, lookUpAnswer(other, receiver, { commentAllowed: none, payerData: none }))
    other.answers.pay = (_request, response, body) =>
      json(response, {
        ...payAnswer(other, receiver, body, { compliance: { utxos: none, utxoCallback: none, nodePubKey: none } }),
        paymentInfo: none,
        compliance: none,
      })
    expect(await requestInvoice()).toMatchObject({ amountMsats: 1_000_000n, remoteCallback: null })
  })

  test('receives no callback at an address outside its own domain', async () => {
    other.answers.pay = (_request, response, body) =>
      json(response, payAnswer(other, receiver, body, { compliance: { utxoCallback: 'http://169.254.169.254/' } }))
    // The signature covers other fields.
    expect((await requestInvoice()).remoteCallback).toBeNull()
  })

  test('with keys that change between the lookup and the answer is accepted after its keys are fetched again', async () => {
    const found = await find()
    const changed = makeSecondSender(other.domain)
    other.keys = changed.keys
    await db().query(
      {
        name: 'test_older',
        text: `update uma_remote_keys set fetched_at = fetched_at - interval '1 minute' where domain = $1`,
      },
      [other.domain],
    )
    other.answers.pay = (_request, response, body) => {
      const { identifier } = (JSON.parse(body) as { payerData: { identifier: string } }).payerData
      json(response, payAnswer(other, receiver, body, { compliance: changed.signed(identifier, receiver) }))
    }
    const [currency] = found.currencies
    if (currency === undefined) throw new Error('no currency')
    const request = {
      username: alice,
      currency,
      lock: { side: 'receiving', units: 100n },
      expirySeconds: 600,
      callbackId: 'x',
    } as const
    expect((await found.requestInvoice(request)).amountMsats).toBe(1_000_000n)
    expect(other.asked.filter(({ path }) => path.endsWith('lnurlpubkey'))).toHaveLength(2)
  })

  test.each([[], null, undefined])('is accepted with raw keys and certificate chains that are %j', async (none) => {
    const raw = { signingPubKey: other.keys.publicHex, encryptionPubKey: other.keys.publicHex }
    other.answers.keys = (_request, response) =>
      json(response, { ...raw, signingCertChain: none, encryptionCertChain: none })
    other.answers.lookUp = (_request, response) =>
      json(response, lookUpAnswer(other, receiver, { tag: 'protocol.PayRequest' }))
    expect(await requestInvoice()).toMatchObject({ amountMsats: 1_000_000n })
  })

  describe('that supports version 0', () => {
    beforeEach(() => {
      const old = CURRENCIES.map(({ convertible, ...rest }) => ({
        ...rest,
        minSendable: convertible.min,
        maxSendable: convertible.max,
      }))
      other.answers.lookUp = (request, response) =>
        request.url?.includes('umaVersion=1.0') === true
          ? json(response, { supportedMajorVersions: [0] }, 412)
          : json(response, lookUpAnswer(other, receiver, { umaVersion: '0.3', currencies: old }))
      other.answers.pay = (_request, response, body) => {
        const { amount, currency } = JSON.parse(body) as { amount: number; currency: string }
        const paymentInfo = { currencyCode: currency, decimals: 2, multiplier: 10_000, exchangeFeesMillisatoshi: 0 }
        json(response, {
          pr: newInvoice({ amountMsats: BigInt(amount) * 10_000n }),
          routes: [],
          paymentInfo,
          compliance: { utxos: [], utxoCallback: `http://${other.domain}/told` },
        })
      }
    })

    test('is asked in the format of version 0, and its answer needs no signature', async () => {
      expect(await requestInvoice()).toMatchObject({
        amountMsats: 1_000_000n,
        receivingUnits: 100n,
        remoteCallback: `http://${other.domain}/told`,
      })
      const { body = '{}' } = other.asked.find(({ path }) => path === '/pay') ?? {}
      expect(JSON.parse(body)).toMatchObject({ amount: 100, currency: 'USD' })
    })

    test('is never asked for locked millisatoshis, only for the units that they buy', async () => {
      expect(await requestInvoice({ side: 'sending', msats: 1_239_999n })).toMatchObject({
        amountMsats: 1_230_000n,
        receivingUnits: 123n,
      })
      await expect(requestInvoice({ side: 'sending', msats: 9_999n })).rejects.toMatchObject({ status: 400 })
    })

    test.each([0, 1_000])('and reads units as millisatoshis (fee %d) is named as wrong', async (fee) => {
      other.answers.pay = (_request, response, body) => {
        const { amount, currency } = JSON.parse(body) as { amount: number; currency: string }
        json(response, {
          pr: newInvoice({ amountMsats: BigInt(amount + fee) }),
          routes: [],
          paymentInfo: { currencyCode: currency, decimals: 2, multiplier: 10_000, exchangeFeesMillisatoshi: fee },
        })
      }
      await expect(requestOffer(vasp, alice, receiver, { side: 'receiving', units: 9_900n })).rejects.toEqual(
        refusal(/reads the amount as millisatoshis, .* version 0/),
      )
    })

    describe('and charges a fee', () => {
      let feeOf: (units: number) => number

      beforeEach(() => {
        feeOf = () => 4_000
        other.answers.pay = (_request, response, body) => {
          const { amount, currency } = JSON.parse(body) as { amount: number; currency: string }
          const exchangeFeesMillisatoshi = feeOf(amount)
          json(response, {
            pr: newInvoice({ amountMsats: BigInt(amount * 10_000 + exchangeFeesMillisatoshi) }),
            routes: [],
            paymentInfo: { currencyCode: currency, decimals: 2, multiplier: 10_000, exchangeFeesMillisatoshi },
          })
        }
      })
      const payRequests = (): number => other.asked.filter(({ path }) => path === '/pay').length

      test('is asked again, for the amount that is left after the fee', async () => {
        expect(await requestInvoice({ side: 'sending', msats: 1_230_000n })).toMatchObject({
          amountMsats: 1_224_000n,
          receivingUnits: 122n,
          feeMsats: 4_000n,
        })
        expect(payRequests()).toBe(2)
      })

      test('is asked once when the fee is less than the remainder below a whole unit', async () => {
        expect(await requestInvoice({ side: 'sending', msats: 1_239_000n })).toMatchObject({
          amountMsats: 1_234_000n,
          receivingUnits: 123n,
        })
        expect(payRequests()).toBe(1)
      })

      test('is rejected for a fee that takes the whole amount', async () => {
        feeOf = () => 10_000
        await expect(requestInvoice({ side: 'sending', msats: 10_000n })).rejects.toMatchObject({
          status: 400,
          code: 'OTHER',
        })
      })

      test('offers more than the locked amount when its fee grows as the amount falls', async () => {
        feeOf = (units) => (units < 123 ? 10_000 * (123 - units) + 9_000 : 9_000)
        const offer = await requestInvoice({ side: 'sending', msats: 1_230_000n })
        // The caller that locked the amount rejects the offer (`lib/quotes/create.ts`).
        expect(offer.amountMsats).toBeGreaterThan(1_230_000n)
      })
    })
  })

  describe('that supports plain LNURL only', () => {
    const plain = (): Promise<Receiver> => find(receiver.slice(1))
    beforeEach(() => {
      other.answers.lookUp = (_request, response) => {
        const { callback, metadata } = lookUpAnswer(other, receiver)
        json(response, {
          tag: 'payRequest',
          callback,
          minSendable: 1_500,
          maxSendable: 99_999,
          metadata,
          commentAllowed: 10,
        })
      }
      other.answers.pay = (request, response) => {
        const amount = new URL(request.url ?? '', 'http://x').searchParams.get('amount') ?? '0'
        json(response, { pr: newInvoice({ amountMsats: BigInt(amount) }), routes: [] })
      }
    })
    const requestWithRetry = async (msats: bigint): Promise<InvoiceOffer> => {
      const found = await plain()
      const [currency] = found.currencies
      if (currency === undefined) throw new Error('no currency')
      return found.requestInvoice({
        username: alice,
        currency,
        lock: { side: 'sending', msats },
        expirySeconds: 600,
        callbackId: 'x',
        comment: 'hi',
      })
    }

    test('accepts satoshis only, and receives no payer data', async () => {
      expect(await plain()).toMatchObject({
        protocol: 'lnurl',
        minMsats: 1_500n,
        currencies: [{ code: 'SAT', min: 2n, max: 99n }],
        commentLength: 10,
      })
      expect(await requestWithRetry(5_000n)).toMatchObject({
        amountMsats: 5_000n,
        receivingUnits: 5n,
        remoteCallback: null,
      })
      expect(other.asked.at(-1)?.path).toBe('/pay?amount=5000&comment=hi')
    })

    test('is not asked for less than a satoshi, even when its minimum is lower', async () => {
      const { callback, metadata } = lookUpAnswer(other, receiver)
      other.answers.lookUp = (_request, response) =>
        json(response, { tag: 'payRequest', callback, minSendable: 1, maxSendable: 99_999, metadata })
      expect(await plain()).toMatchObject({ minMsats: 1_000n, currencies: [{ code: 'SAT', min: 1n, max: 99n }] })
    })

    test.each([200, 201, 400, 500])('is read with the HTTP status %d, because its body decides', async (status) => {
      const { callback } = lookUpAnswer(other, receiver)
      const metadata = JSON.stringify([['image/png;base64', 'A'.repeat(100_000)]])
      other.answers.lookUp = (_request, response) =>
        json(
          response,
          { tag: 'payRequest', callback, minSendable: 1_000, maxSendable: 99_999, metadata, commentAllowed: '20' },
          status,
        )
      other.answers.pay = (request, response) => {
        const amount = new URL(request.url ?? '', 'http://x').searchParams.get('amount') ?? '0'
        response.writeHead(status, { 'Content-Type': 'application/json' })
        response.end(`\uFEFF${JSON.stringify({ pr: newInvoice({ amountMsats: BigInt(amount) }), routes: [] })}`)
      }
      expect(await requestWithRetry(5_000n)).toMatchObject({ amountMsats: 5_000n })
    })

    test.each([
      ['ERROR', 200],
      ['error', 200],
      ['Error', 400],
      [' error ', 500],
    ])('is quoted with its own reason when it answers "%s" (%d)', async (status, http) => {
      const refused = { status, reason: 'Daily limit\n reached,\u202e come back' }
      other.answers.pay = (_request, response) => json(response, refused, http)
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal(/ answered: “Daily limit reached, come back”/))
      other.answers.lookUp = (_request, response) => json(response, { ...refused, tag: 'payRequest' }, http)
      await expect(plain()).rejects.toEqual(refusal(/ answered: “Daily limit reached, come back”/))
    })

    test('offers a success action, which is kept; an unknown one or a link to another domain is not paid', async () => {
      const offers = (successAction: unknown): void => {
        other.answers.pay = (_request, response) =>
          json(response, { pr: newInvoice({ amountMsats: 5_000n }), routes: [], successAction })
      }
      const message = { tag: 'message', message: 'Thank you' }
      offers(message)
      expect((await requestWithRetry(5_000n)).successAction).toEqual(message)
      const url = { tag: 'url', description: 'Order', url: `http://${other.domain}/order/1` }
      offers(url)
      expect((await requestWithRetry(5_000n)).successAction).toEqual(url)
      offers(null)
      expect((await requestWithRetry(5_000n)).successAction).toBeNull()
      offers({ ...url, url: 'https://evil.example/' })
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal(/another domain/))
      offers({ tag: 'nfc', message: 'x' })
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal(/cannot show/))
    })

    test('is too large with metadata beyond LUD-06, and with an answer beyond 256 kB', async () => {
      const { callback } = lookUpAnswer(other, receiver)
      for (const length of [136_537, 400_000]) {
        const metadata = JSON.stringify([['image/png;base64', 'A'.repeat(length)]])
        other.answers.lookUp = (_request, response) =>
          json(response, { tag: 'payRequest', callback, minSendable: 1_000, maxSendable: 99_999, metadata })
        await expect(plain()).rejects.toEqual(refusal(/too large/))
      }
    })

    test('is rejected for another amount, an error, or a text that is not an invoice', async () => {
      other.answers.pay = (_request, response) =>
        json(response, { pr: newInvoice({ amountMsats: 5_001n }), routes: [] })
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal(/another amount/))
      other.answers.pay = (_request, response) => json(response, { status: 'ERROR', reason: 'no' })
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal())
      other.answers.pay = (_request, response) => json(response, { pr: 'x' })
      await expect(requestWithRetry(5_000n)).rejects.toEqual(refusal())
    })
  })

  test('that is slow uses only its own share of the outbound requests', async () => {
    const quick = await startOtherVasp()
    const held: ServerResponse[] = []
    other.answers.lookUp = (_request, response) => void held.push(response)
    try {
      const two = await makeTestVasp(db(), {
        LIGHTNING_NODE_KEY: nodeSecret,
        UMA_SIGNING_KEY: newNodeSecret(),
        UMA_ENCRYPTION_KEY: newNodeSecret(),
        UMA_LOCAL_PEERS: `${other.domain},${quick.domain}`,
      })
      const name = `$bob@${quick.domain}`
      quick.answers.lookUp = (_request, response) => json(response, lookUpAnswer(quick, name))
      const slow = Promise.allSettled(Array.from({ length: 20 }, () => lookUp(two.app, alice, parseAddress(receiver))))
      await expect.poll(() => held.length).toBe(5)
      expect(await lookUp(two.app, alice, parseAddress(name))).toMatchObject({ protocol: 'uma-1' })
      other.answers.lookUp = (_request, response) => void response.destroy()
      for (const response of held) response.destroy()
      expect((await slow).every(({ status }) => status === 'rejected')).toBe(true)
    } finally {
      quick.stop()
    }
  })
})
