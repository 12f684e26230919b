import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openHttpsServer, type Handler, type HttpsServer } from '@/test/lnd-like/https-server'
import { makeLndClient } from './client'
import { LndError, NotSent, type Lnd, type LndInvoice } from './lnd'

const KEY = `02${'ab'.repeat(32)}`
const preimage = randomBytes(32).toString('hex')
const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
const b64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

// The shapes of LND v0.20.1, as its REST interface answered them.
const INFO = { identity_pubkey: KEY, chains: [{ chain: 'bitcoin', network: 'regtest' }], synced_to_chain: true }
const PAYMENT = {
  payment_hash: paymentHash,
  payment_index: '7',
  value_msat: '25000',
  fee_msat: '1001',
  payment_preimage: '0'.repeat(64),
  status: 'IN_FLIGHT',
  failure_reason: 'FAILURE_REASON_NONE',
  creation_date: '1795844203',
  htlcs: [
    { status: 'FAILED', route: { hops: [{ chan_id: '454' }, { chan_id: '9' }] } },
    { status: 'IN_FLIGHT', route: { hops: [{ chan_id: '455197813964800' }, { chan_id: '9' }] } },
  ],
}
const PAID = { ...PAYMENT, status: 'SUCCEEDED', payment_preimage: preimage }
const INVOICE = {
  r_hash: b64(paymentHash),
  r_preimage: b64(preimage),
  state: 'SETTLED',
  settle_index: '3',
  add_index: '9',
  amt_paid_msat: '25000',
  is_keysend: false,
  htlcs: [{ state: 'SETTLED', amt_msat: '25000', custom_records: {} }],
}

const json =
  (status: number, body: unknown): Handler =>
  (_, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
const lines =
  (...bodies: readonly unknown[]): Handler =>
  (_, response) =>
    void response.end(bodies.map((body) => `${JSON.stringify(body)}\n`).join(''))
const problem = (status: number, code: number, message: string): Handler => json(status, { code, message, details: [] })
const streamProblem = (status: number, code: number, message: string): Handler =>
  json(status, { error: { code, message, details: [] } })

describe('The client of LND', () => {
  const asked: { readonly method: string; readonly url: string; readonly macaroon: unknown; readonly text: string }[] =
    []
  let answer: Handler
  let server: HttpsServer
  let lnd: Lnd
  const clientOf = (url: string, ca: string): Lnd => makeLndClient({ url, macaroon: '0201', ca })

  beforeAll(async () => {
    server = await openHttpsServer((request, response) => {
      const { method = '', url = '', text, headers } = request
      asked.push({ method, url, text, macaroon: headers['grpc-metadata-macaroon'] })
      answer(request, response)
    })
    lnd = clientOf(server.url, server.certificate)
  })
  afterEach(() => void asked.splice(0))
  afterAll(async () => {
    lnd.close()
    await server.close()
  })

  const send = (): ReturnType<Lnd['send']> =>
    lnd.send({ paymentHash, paymentRequest: 'lnbcrt1', feeLimitMsat: 10_000n })
  async function settled(after = 2n): Promise<LndInvoice[]> {
    const seen: LndInvoice[] = []
    for await (const invoice of lnd.subscribe(after, new AbortController().signal)) seen.push(invoice)
    return seen
  }
  const failing = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error,
    )

  describe('asks', () => {
    it('with the macaroon, and reads key and network', async () => {
      answer = json(200, INFO)
      expect(await lnd.getInfo()).toEqual({ publicKeyHex: KEY, network: 'regtest', isSynced: true })
      expect(asked).toEqual([{ method: 'GET', url: '/v1/getinfo', macaroon: '0201', text: '' }])
    })

    it('for an invoice with bytes in base64 and the amount as a decimal string', async () => {
      answer = json(200, { r_hash: b64(paymentHash), payment_request: 'lnbcrt1abc', add_index: '1' })
      const terms = { preimage, valueMsat: 250_001n, expirySeconds: 600 }
      expect(await lnd.addInvoice({ ...terms, purpose: { description: 'tea' } })).toBe('lnbcrt1abc')
      await lnd.addInvoice({ ...terms, valueMsat: undefined, purpose: { descriptionHash: paymentHash } })
      expect(asked.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
        { r_preimage: b64(preimage), expiry: '600', value_msat: '250001', memo: 'tea' },
        { r_preimage: b64(preimage), expiry: '600', description_hash: b64(paymentHash) },
      ])
    })

    it('for a payment with its limits, and for a keysend with its records and preimage', async () => {
      answer = lines({ result: PAID })
      expect(await send()).toMatchObject({ status: 'SUCCEEDED', preimage, feeMsat: 1_001n, paymentIndex: 7n })
      const keysend = { destination: KEY, preimage, records: [{ type: 696_969, value: '616c696365' }] }
      await lnd.send({ paymentHash, keysend, amountMsat: 7_000n, feeLimitMsat: 10_000n })
      const common = { fee_limit_msat: '10000', timeout_seconds: 40, no_inflight_updates: true }
      expect(asked.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
        { ...common, payment_request: 'lnbcrt1', max_parts: 16 },
        {
          ...common,
          amt_msat: '7000',
          dest: b64(KEY),
          payment_hash: b64(paymentHash),
          dest_custom_records: { '696969': b64('616c696365'), '5482373484': b64(preimage) },
          dest_features: ['TLV_ONION_REQ'],
        },
      ])
    })

    it('about a payment by base64url with padding, and takes its first state', async () => {
      answer = (_, response) => void response.write(`${JSON.stringify({ result: PAYMENT })}\n`)
      expect(await lnd.track(paymentHash)).toMatchObject({
        status: 'IN_FLIGHT',
        paymentIndex: 7n,
        begunAtSeconds: 1_795_844_203,
        leftThrough: ['455197813964800'],
      })
      expect(asked[0]?.url).toBe(`/v2/router/track/${b64(paymentHash).replaceAll('+', '-').replaceAll('/', '_')}`)
      expect(asked[0]?.url).toMatch(/=$/)
    })

    it('for a payment whose attempts cannot be read', async () => {
      const odd = { ...PAID, creation_date: 'today', htlcs: [{ status: 'IN_FLIGHT', route: { hops: [] } }] }
      answer = lines({ result: odd })
      expect(await lnd.track(paymentHash)).toMatchObject({ status: 'SUCCEEDED', preimage, leftThrough: [] })
    })

    it('for all invoices, page by page', async () => {
      const page = Array.from({ length: 500 }, () => INVOICE)
      answer = ({ url = '' }, response) =>
        json(200, {
          invoices: url.includes('index_offset=0&') ? page : [INVOICE],
          last_index_offset: url.includes('index_offset=0&') ? '500' : '501',
        })({} as never, response)
      let count = 0
      for await (const _ of lnd.invoices()) count += 1
      expect(count).toBe(501)
      for await (const _ of lnd.pendingInvoices()) count += 1
      expect(count).toBe(1_002)
      expect(asked.map(({ url }) => url)).toEqual([
        '/v1/invoices?index_offset=0&num_max_invoices=500',
        '/v1/invoices?index_offset=500&num_max_invoices=500',
        '/v1/invoices?index_offset=0&num_max_invoices=500&pending_only=true',
        '/v1/invoices?index_offset=500&num_max_invoices=500&pending_only=true',
      ])
    })

    it('for all invoices in smaller pages, when a payer made some of them long', async () => {
      // As LND shows what each part of a payment carried.
      const long = { ...INVOICE, memo: 'x'.repeat(60_000) }
      answer = ({ url = '' }, response) => {
        const asks = new URLSearchParams(url.split('?')[1])
        const [offset, size] = [Number(asks.get('index_offset')), Number(asks.get('num_max_invoices'))]
        const invoices = Array.from({ length: Math.min(size, 300 - offset) }, () => long)
        json(200, { invoices, last_index_offset: String(offset + invoices.length) })({} as never, response)
      }
      let count = 0
      for await (const _ of lnd.invoices()) count += 1
      expect(count).toBe(300)
    })

    it('on a new connection for each payment, and on a kept one for other calls', async () => {
      const ports: (number | undefined)[] = []
      answer = ({ socket, url }, response) => {
        ports.push(socket.remotePort)
        ;(url === '/v1/getinfo' ? json(200, INFO) : lines({ result: PAID }))({} as never, response)
      }
      await lnd.getInfo()
      await lnd.getInfo()
      await send()
      await send()
      expect(ports[0]).toBe(ports[1])
      expect(new Set(ports).size).toBe(3)
    })
  })

  describe('takes as LND’s own answer', () => {
    it.each([
      'waiting to start, RPC services not available',
      'wallet locked, unlock it to enable full RPC access',
      'the RPC server is in the process of starting up, but not yet ready to accept calls',
    ])('that it is starting: %s', async (message) => {
      answer = problem(500, 2, message)
      expect(await failing(lnd.getInfo())).toEqual(new LndError(2, message))
      answer = streamProblem(500, 2, message)
      expect(await failing(send())).toEqual(new LndError(2, message))
    })

    it.each([
      [409, 6, 'invoice is already paid'],
      [409, 6, 'payment is in transition'],
      [409, 6, 'payment already exists'],
      [500, 2, 'invoice expired. Valid until 2026-11-27 10:00:00'],
    ])('a refusal: %d %d %s', async (status, code, message) => {
      answer = streamProblem(status, code, message)
      expect(await failing(send())).toEqual(new LndError(code, message))
    })

    it('that a payment was never begun, and an error in the middle of a stream', async () => {
      answer = streamProblem(404, 5, "payment isn't initiated")
      expect(await failing(lnd.track(paymentHash))).toEqual(new LndError(5, "payment isn't initiated"))
      answer = lines({ result: PAYMENT }, { error: { code: 2, message: 'router shutting down', details: [] } })
      expect(await failing(send())).toEqual(new LndError(2, 'router shutting down'))
    })
  })

  describe('takes as no answer', () => {
    it.each<[string, Handler]>([
      ['an error page of a proxy', (_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>')],
      ['JSON of a proxy', json(503, { error: 'unavailable' })],
      ['a stream that ends without a final state', lines({ result: PAYMENT })],
      ['an empty stream', lines()],
      [
        'a stream that breaks',
        (_, response) => (response.write('{"result":'), void setTimeout(() => response.destroy(), 5)),
      ],
      ['a closed connection', ({ socket }) => void socket.destroy()],
      ['half a line', (_, response) => void response.end('{"result":{"payment_hash"')],
      ['another payment', lines({ result: { ...PAID, payment_hash: 'ab'.repeat(32) } })],
      ['a negative fee', lines({ result: { ...PAID, fee_msat: '-1' } })],
      ['a fee beyond all bitcoin', lines({ result: { ...PAID, fee_msat: '9223372036854775807' } })],
      ['a fraction', lines({ result: { ...PAID, fee_msat: 1.5 } })],
      ['a number beyond 64 bits', lines({ result: { ...PAID, payment_index: '9'.repeat(20) } })],
      ['words for a number', lines({ result: { ...PAID, payment_index: 'many' } })],
      ['nothing for a number', lines({ result: { ...PAID, payment_index: null } })],
      ['a list', lines([PAID])],
      ['a line of five million characters', lines({ result: { ...PAID, memo: 'a'.repeat(5_000_000) } })],
    ])('to a payment: %s', async (_, handler) => {
      answer = handler
      const error = await failing(send())
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(LndError)
      expect(error).not.toBeInstanceOf(NotSent)
    })

    it('a body that is too long', async () => {
      answer = json(200, { ...INFO, alias: 'a'.repeat(9_000_000) })
      expect(String(await failing(lnd.getInfo()))).toMatch(/too long/)
    })

    it.each(['IN_FLIGHT', 'INITIATED', 'UNKNOWN', 'SOMETHING_NEW', ''])(
      'a status of %j: it waits on',
      async (status) => {
        answer = lines({ result: { ...PAYMENT, status, failure_reason: 'FAILURE_REASON_NO_ROUTE' } }, { result: PAID })
        expect(await send()).toMatchObject({ status: 'SUCCEEDED' })
      },
    )
  })

  describe('knows that nothing was sent', () => {
    it('to a port without a listener', async () => {
      const other = clientOf('https://127.0.0.1:9', server.certificate)
      expect(await failing(other.getInfo())).toBeInstanceOf(NotSent)
      expect(await failing(other.send({ paymentHash, paymentRequest: 'lnbcrt1', feeLimitMsat: 0n }))).toBeInstanceOf(
        NotSent,
      )
    })

    it('to a server with another certificate', async () => {
      const elsewhere = await openHttpsServer(() => {})
      const other = clientOf(server.url, elsewhere.certificate)
      await elsewhere.close()
      expect(await failing(other.getInfo())).toBeInstanceOf(NotSent)
      expect(asked).toEqual([])
    })
  })

  describe('reads settled invoices', () => {
    it('with amounts, index and preimage, across chunks of any size', async () => {
      const text = `${JSON.stringify({ result: INVOICE })}\n\n${JSON.stringify({ result: { ...INVOICE, settle_index: '4' } })}\n`
      answer = (_, response) => {
        const pieces = text.match(/[^]{1,7}/g) ?? []
        const write = (): void => {
          const piece = pieces.shift()
          if (piece === undefined) return void response.end()
          response.write(piece)
          setImmediate(write)
        }
        write()
      }
      expect(await settled()).toMatchObject([
        { paymentHash, preimage, state: 'SETTLED', settleIndex: 3n, amountPaidMsat: 25_000n, isKeysend: false },
        { settleIndex: 4n },
      ])
      expect(asked[0]?.url).toBe('/v1/invoices/subscribe?settle_index=2')
    })

    it('with the records of a keysend, without its preimage and without types that JSON cannot carry', async () => {
      const custom_records = {
        '5482373484': b64(preimage),
        '696969': b64('616c696365'),
        '18446744073709551615': b64('00'),
      }
      const htlcs = [{ state: 'ACCEPTED', amt_msat: '7000', custom_records }]
      answer = lines({ result: { ...INVOICE, state: 'ACCEPTED', settle_index: '0', is_keysend: true, htlcs } })
      expect(await settled()).toMatchObject([
        { isKeysend: true, heldMsat: 7_000n, records: [{ type: 696_969, value: '616c696365' }] },
      ])
    })

    it.each(['broken base64!', 'YQ', b64('ab')])('and refuses the hash %j', async (r_hash) => {
      answer = lines({ result: { ...INVOICE, r_hash } })
      await expect(settled()).rejects.toThrow()
    })

    it('until the caller stops, and shows whether the stream broke or ended', async () => {
      answer = (_, response) => void response.write(`${JSON.stringify({ result: INVOICE })}\n`)
      const stop = new AbortController()
      const reading = (async () => {
        for await (const _ of lnd.subscribe(0n, stop.signal)) stop.abort()
      })()
      await expect(reading).rejects.toThrow()
      answer = lines({ result: INVOICE })
      expect(await settled()).toHaveLength(1)
      answer = (_, response) => {
        response.write(`${JSON.stringify({ result: INVOICE })}\n`)
        setTimeout(() => response.destroy(), 5)
      }
      await expect(settled()).rejects.toThrow()
    })
  })

  it('ends all calls when it is closed', async () => {
    answer = () => {}
    const other = clientOf(server.url, server.certificate)
    const sending = other.send({ paymentHash, paymentRequest: 'lnbcrt1', feeLimitMsat: 0n })
    await expect.poll(() => asked.length).toBe(1)
    other.close()
    await expect(sending).rejects.toThrow()
  })
})
