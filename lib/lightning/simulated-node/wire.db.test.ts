import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnBothEngines, describeOnTwoDatabases } from '@/test/databases/databases'
import { keysendIn } from '@/test/lightning/outgoing'
import {
  booksOfPair,
  disagreements,
  keysendOf,
  makePair,
  mend,
  paymentOf,
  sendRow,
  signedAnswer,
  signedRequest,
  type Pair,
} from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { nodePublicKey } from '../node-key'
import type { Post } from './peer-client'
import { HEADERS } from './signature'

const RECEIVED = JSON.stringify({ state: 'received', preimage: 'ab'.repeat(32) })
const REFUSED = JSON.stringify({ state: 'refused', failure: 'paid' })
const UNKNOWN = { kind: 'unknown' }

describeOnTwoDatabases('A payment that a peer repeats', (payerDb, payeeDb) => {
  it('is reported once, with the amount that was received', async () => {
    const pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    const reported: unknown[] = []
    const payee = pair.payeeWith({ onMessage: ({ received }) => void (received && reported.push(received)) })
    pair.wire = (url, init) => payee.answer(new Request(url, init))
    const bodyOf = (): Promise<string> => pair.requests.at(-1)?.clone().text() ?? Promise.resolve('')
    for (const payment of [keysendOf(pair), await paymentOf(pair)]) {
      const { paymentHash, amountMsats, what } = payment
      reported.length = 0
      expect(await pair.payer.send(payment)).toMatchObject({ kind: 'succeeded' })
      const body = (await bodyOf()).replace(String(amountMsats), String(amountMsats + 1_000n))
      for (const repeated of [await bodyOf(), body]) {
        const answer = await payee.answer(signedRequest(pair.payerSecret, { body: repeated }, pair.payeeOrigin))
        expect(answer.status).toBe(200)
      }
      expect(reported).toEqual([{ username: pair.user, paymentHash, amountMsats, isKeysend: what.kind === 'keysend' }])
    }
  })
})

describeOnTwoDatabases('An answer from a payee', (payerDb, payeeDb) => {
  let pair: Pair
  beforeAll(async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
  })

  /** The answer that arrives instead of the payee's own, which is lost. */
  type Fault = (request: Request, real: Response) => Promise<Response> | Response
  const faulty =
    (fault: Fault): Post =>
    async (url, init) => {
      const request = new Request(url, init)
      const real = await pair.payee.answer(request.clone())
      return fault(request, real)
    }
  const faults: [string, Fault][] = [
    ['with a preimage of another hash', (request) => signedAnswer(pair, request, RECEIVED)],
    ['without a signature', async (_, real) => new Response(await real.text())],
    ['that is a refusal without a signature', () => new Response(REFUSED)],
    ['with a signature of another text', (_, { headers }) => new Response(REFUSED, { headers })],
    ['with half a signature', () => new Response(REFUSED, { headers: { [HEADERS.signature]: 'ab' } })],
    ['that is not JSON', (request) => signedAnswer(pair, request, 'received')],
    ['of another shape', (request) => signedAnswer(pair, request, '{"state":"settled"}')],
    ['that is empty', (request) => signedAnswer(pair, request, '')],
    ['with a signed refusal and status 500', (request) => signedAnswer(pair, request, REFUSED, 500)],
    [
      'longer than 8 kB',
      (request) => signedAnswer(pair, request, JSON.stringify({ ...JSON.parse(REFUSED), x: 'x'.repeat(9_000) })),
    ],
    ['that never ends', () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_024)) }))],
    ['that redirects', () => new Response(null, { status: 302, headers: { Location: 'http://evil.test/' } })],
    ['that is cut off', () => new Response(new ReadableStream({ pull: (to) => to.error(new Error('reset')) }))],
  ]

  it.each(faults)('%s leaves the payment open, and track returns its outcome', async (_, fault) => {
    const before = await booksOfPair(pair)
    const payment = await paymentOf(pair)
    pair.wire = faulty(fault)
    expect(await pair.payer.send(payment)).toEqual(UNKNOWN)
    expect(await sendRow(payerDb(), payment.sendId)).toMatchObject({ state: 'in_flight', preimage: null })
    mend(pair)
    expect(await pair.payer.track(payment)).toMatchObject({ kind: 'succeeded' })
    const after = await booksOfPair(pair)
    expect(after).toEqual({ credited: before.credited + 25_000n, owed: before.owed + 25_000n })
  })

  it('that never comes, or never ends, is awaited for five seconds at most', async () => {
    const wires = [faulty(() => new Promise(() => {})), faulty(() => new Response(new ReadableStream({})))]
    const payments = [await paymentOf(pair), await paymentOf(pair)]
    pair.wire = (url, init) => (wires.pop() ?? expect.fail('a third call'))(url, init)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const outcomes = Promise.all(payments.map((payment) => pair.payer.send(payment)))
    await expect.poll(() => wires).toEqual([])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await outcomes).toEqual([UNKNOWN, UNKNOWN])
    vi.useRealTimers()
    mend(pair)
    for (const payment of payments) expect(await pair.payer.track(payment)).toMatchObject({ kind: 'succeeded' })
  })

  it('is for one call: a refusal that the payee signed for another peer’s call is not accepted', async () => {
    const payment = await paymentOf(pair)
    const mallory = newNodeSecret()
    const both = pair.payeeWith({ morePeers: [nodePublicKey(mallory)] })
    pair.wire = async (url, init) => {
      const request = new Request(url, init)
      const nonce = request.headers.get(HEADERS.nonce) ?? ''
      const body = JSON.stringify({ payment_hash: payment.paymentHash, attempt: String(payment.sendId) })
      const forged = signedRequest(mallory, { path: '/sandbox-ln/v1/track', body, nonce }, pair.payeeOrigin)
      const refusal = await both.answer(forged)
      expect(refusal.status).toBe(200)
      // Meanwhile the genuine request reaches the payee.
      expect((await both.answer(request)).status).toBe(200)
      return refusal
    }
    expect(await pair.payer.send(payment)).toEqual(UNKNOWN)
    mend(pair)
    expect(await pair.payer.track(payment)).toMatchObject({ kind: 'succeeded' })
  })

  it('that is not final leaves a held payment open and credits nothing, and a later track ends the payment', async () => {
    const before = await booksOfPair(pair)
    const payment = await paymentOf(pair)
    let isHeld = true
    const payee = pair.payeeWith({ isHeld: async (hash) => isHeld && hash === payment.paymentHash })
    pair.wire = (url, init) => payee.answer(new Request(url, init))
    expect(await pair.payer.send(payment)).toEqual(UNKNOWN)
    expect(await pair.payer.track(payment)).toEqual(UNKNOWN)
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
    isHeld = false
    expect(await pair.payer.track(payment)).toEqual({ kind: 'failed', failure: 'never-sent' })
    expect(await pair.payer.send(payment)).toMatchObject({ kind: 'failed' })
    mend(pair)
    expect(await booksOfPair(pair)).toEqual({ credited: before.credited + 25_000n, owed: before.owed + 25_000n })
  })

  it('that is a refusal ends the payment whatever its reason', async () => {
    const payment = await paymentOf(pair)
    pair.wire = async (url, init) =>
      signedAnswer(pair, new Request(url, init), '{"state":"refused","failure":"a later reason"}')
    expect(await pair.payer.send(payment)).toEqual({ kind: 'failed', failure: 'unknown' })
    mend(pair)
  })

  it('that contradicts an earlier refusal changes nothing, and is logged', async () => {
    const payment = await paymentOf(pair)
    pair.wire = async (url, init) => {
      const request = new Request(url, init)
      const real = await pair.payee.answer(request.clone())
      // Another process of this VASP has received a refusal in the meantime.
      const other = pair.sibling(payerDb())
      pair.wire = async (trackUrl, trackInit) => signedAnswer(pair, new Request(trackUrl, trackInit), REFUSED)
      expect(await other.track(payment)).toEqual({ kind: 'failed', failure: 'paid' })
      return real
    }
    expect(await pair.payer.send(payment)).toEqual({ kind: 'failed', failure: 'paid' })
    mend(pair)
    expect(pair.vasp.logged.join('')).toContain('a peer changed its final answer')
  })

  it('leaves the outcome unknown when the payer’s own database fails', async () => {
    // A new pair, because an earlier test left a difference in the totals, which a sibling compares before its first payment.
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    const payment = await paymentOf(pair)
    const broken = pair.sibling({ ...payerDb(), query: () => Promise.reject(new Error('the database is gone')) })
    expect(await broken.send(payment)).toEqual(UNKNOWN)
    expect(await broken.track(payment)).toEqual(UNKNOWN)
    const dying: Database = {
      ...payerDb(),
      query: (statement, params) =>
        statement.name === 'end_send'
          ? Promise.reject(new Error('the database is gone'))
          : payerDb().query(statement, params),
    }
    expect(await pair.sibling(dying).send(payment)).toEqual(UNKNOWN)
    expect(await pair.payer.track(payment)).toMatchObject({ kind: 'succeeded' })
  })
})

describeOnBothEngines('A call to a node', (db) => {
  let pair: Pair
  /** How often the payee's node queried its database. */
  let asked = 0
  beforeAll(async () => {
    pair = await makePair({ payerDb: db(), payeeDb: db() })
  })
  const counting = (): Database => ({
    ...db(),
    query: (...args) => {
      asked += 1
      return db().query(...args)
    },
  })
  const bodyOf = async (): Promise<string> => {
    const { paymentHash, amountMsats, what } = await paymentOf(pair)
    const { invoice } = what
    return JSON.stringify({
      payment_hash: paymentHash,
      attempt: '1',
      amount_msats: String(amountMsats),
      deadline: Date.now() + 30_000,
      invoice,
    })
  }

  it('that is captured and sent again gets the same answer and credits nothing', async () => {
    const outcome = await pair.payer.send(await paymentOf(pair))
    const keysend = keysendOf(pair)
    await pair.payer.send(keysend)
    const before = await booksOfPair(pair)
    const [first, second] = pair.requests
    for (const request of [first, first, second, second]) {
      const answer = await pair.payee.answer((request ?? expect.fail('nothing was sent')).clone())
      expect(await answer.json()).toMatchObject({ state: 'received' })
    }
    expect(outcome.kind).toBe('succeeded')
    expect(await booksOfPair(pair)).toEqual(before)
    // All answers report the amount that was received.
    expect(new Set(pair.heard.payee.map((event) => (event.kind === 'received' ? event.amountMsats : 0n)))).toEqual(
      new Set([25_000n, 7_000n]),
    )
    expect(await disagreements(db())).toEqual([])
  })

  describe('is rejected with 401 before any query to the database', () => {
    const sent = async (change: (request: Request) => Request, at = pair.payeeOrigin): Promise<[number, unknown]> => {
      const node = pair.payeeWith({ db: counting(), publicOrigin: pair.payeeOrigin })
      const request = change(signedRequest(pair.payerSecret, { body: await bodyOf() }, at))
      asked = 0
      const answer = await node.answer(request)
      expect(answer.headers.get(HEADERS.signature)).toBeNull()
      const body: unknown = await answer.json()
      return [answer.status === 401 ? asked : -answer.status, body]
    }
    const withHeader =
      (name: string, value: string | undefined) =>
      (request: Request): Request => {
        const headers = new Headers(request.headers)
        if (value === undefined) headers.delete(name)
        else headers.set(name, value)
        return new Request(request, { headers })
      }
    const nothing = [0, { code: 'UNAUTHORIZED', message: 'Unauthorized' }]

    it.each<[string, (request: Request) => Request]>([
      ['no key', withHeader(HEADERS.key, undefined)],
      ['an unknown key', withHeader(HEADERS.key, nodePublicKey(newNodeSecret()))],
      ['no signature', withHeader(HEADERS.signature, undefined)],
      ['a signature of zeros', withHeader(HEADERS.signature, '0'.repeat(128))],
      ['half a signature', withHeader(HEADERS.signature, 'ab')],
      ['another nonce', withHeader(HEADERS.nonce, 'ab'.repeat(16))],
      ['an empty nonce', withHeader(HEADERS.nonce, '')],
      ['another time', withHeader(HEADERS.timestamp, String(Date.now() + 1_000))],
      ['a time that is not a number', withHeader(HEADERS.timestamp, 'NaN')],
      ['no time', withHeader(HEADERS.timestamp, undefined)],
    ])('with %s', async (_, change) => {
      expect(await sent(change)).toEqual(nothing)
    })

    it('with a changed body, on another path, or signed for another host', async () => {
      const other = await bodyOf()
      const copy = (url: string, body?: string) => (request: Request) =>
        new Request(url, { method: 'POST', headers: request.headers, ...(body === undefined ? {} : { body }) })
      expect(await sent(copy(`${pair.payeeOrigin}/sandbox-ln/v1/pay`, other))).toEqual(nothing)
      expect(await sent(copy(`${pair.payeeOrigin}/sandbox-ln/v1/track`, other))).toEqual(nothing)
      expect(await sent(copy(`${pair.payeeOrigin}/sandbox-ln/v1/pay`))).toEqual(nothing)
      // Signed for another node and sent here, whatever the Host header says.
      expect(await sent((request) => request, 'http://localhost:3999')).toEqual(nothing)
    })

    it('when it is signed by another key, or its time differs from ours by more than two minutes', async () => {
      const body = await bodyOf()
      const payer = nodePublicKey(pair.payerSecret)
      const minutes = (count: number): string => String(Date.now() + count * 60_000)
      const node = pair.payeeWith({ db: counting() })
      asked = 0
      for (const request of [
        signedRequest(newNodeSecret(), { body, payer }, pair.payeeOrigin),
        signedRequest(newNodeSecret(), { body }, pair.payeeOrigin),
        signedRequest(pair.payerSecret, { body, timestamp: minutes(-2.1) }, pair.payeeOrigin),
        signedRequest(pair.payerSecret, { body, timestamp: minutes(2.1) }, pair.payeeOrigin),
      ])
        expect((await node.answer(request)).status).toBe(401)
      expect(asked).toBe(0)
      for (const count of [-1.9, 1.9]) {
        const request = signedRequest(pair.payerSecret, { body, timestamp: minutes(count) }, pair.payeeOrigin)
        expect((await node.answer(request)).status).toBe(200)
      }
    })
  })

  it.each([
    ['nothing', ''],
    ['text that is not JSON', 'hello'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an amount that is a number', '{"amount_msats":25000}'],
    ['an amount of zero', '{"amount_msats":"0"}'],
    ['a negative amount', '{"amount_msats":"-1"}'],
    ['an amount that the database cannot store', '{"amount_msats":"9223372036854775808"}'],
    ['an amount above the supply of bitcoin', '{"amount_msats":"2100000000000000001"}'],
    ['a malformed hash', '{"payment_hash":"x"}'],
    ['a hash in upper case', `{"payment_hash":"${'AB'.repeat(32)}"}`],
    ['a deadline that is not a number', '{"deadline":"soon"}'],
    ['a deadline too far in the future', '{"deadline":1e300}'],
    ['an empty attempt', '{"attempt":""}'],
    ['an attempt with a NUL', '{"attempt":"\\u0000"}'],
    ['an invoice and a keysend', `{"keysend":{"preimage":"${'ab'.repeat(32)}","records":[]}}`],
    ['neither', '{"invoice":null}'],
  ])('from a peer with %s is answered with 400, unsigned, without a database query', async (_, change) => {
    let body = change
    if (change.startsWith('{')) body = JSON.stringify({ ...JSON.parse(await bodyOf()), ...JSON.parse(change) })
    const node = pair.payeeWith({ db: counting() })
    asked = 0
    const answer = await node.answer(signedRequest(pair.payerSecret, { body }, pair.payeeOrigin))
    expect([answer.status, answer.headers.get(HEADERS.signature), asked]).toEqual([400, null, 0])
  })

  it('with more keysend records than the API accepts is answered with 400, and with the maximum is paid', async () => {
    const call = async (count: number, bytes: number): Promise<Response> => {
      const sent = keysendOf(pair)
      const { paymentHash } = sent
      const keysend = keysendIn(sent)
      const [user] = keysend?.records ?? []
      const rest = bytes - (user?.value.length ?? 0) / 2
      const fillers = Array.from({ length: count - 1 }, (_, index) => ({
        type: 70_000 + index,
        value: 'ab'.repeat(index === 0 ? rest : 0),
      }))
      const body = JSON.stringify({
        payment_hash: paymentHash,
        attempt: '1',
        amount_msats: '7000',
        deadline: Date.now() + 30_000,
        keysend: { ...keysend, records: [user, ...fillers] },
      })
      return pair.payee.answer(signedRequest(pair.payerSecret, { body }, pair.payeeOrigin))
    }
    expect((await call(65, 100)).status).toBe(400)
    expect((await call(2, 1_201)).status).toBe(400)
    const most = await call(64, 1_200)
    expect([most.status, await most.json()]).toMatchObject([200, { state: 'received' }])
  })

  it('of more than 16 kB is answered with 413, and the body of an unknown caller is not read', async () => {
    const body = 'x'.repeat(16 * 1024 + 1)
    expect((await pair.payee.answer(signedRequest(pair.payerSecret, { body }, pair.payeeOrigin))).status).toBe(413)
    const stranger = signedRequest(newNodeSecret(), { body }, pair.payeeOrigin)
    expect((await pair.payee.answer(stranger)).status).toBe(401)
    expect(stranger.bodyUsed).toBe(false)
  })

  it('is answered with 404 on any other path, and with 405 unless it is POST', async () => {
    const get = (path: string, method = 'GET'): Promise<Response> =>
      pair.payee.answer(new Request(`${pair.payeeOrigin}${path}`, { method }))
    for (const path of ['/sandbox-ln', '/sandbox-ln/v1', '/sandbox-ln/v1/pay/', '/sandbox-ln/v1/info', '/'])
      expect((await get(path, 'POST')).status, path).toBe(404)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await get('/sandbox-ln/v1/pay', method)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('is answered with 503, without a signature or a reason, while the database does not answer', async () => {
    const node = pair.payeeWith({ db: { ...db(), query: () => Promise.reject(new Error('secret')) } })
    for (const path of ['/sandbox-ln/v1/pay', '/sandbox-ln/v1/track']) {
      const request = signedRequest(pair.payerSecret, { path, body: await bodyOf() }, pair.payeeOrigin)
      const answer = await node.answer(request)
      expect([answer.status, answer.headers.get(HEADERS.signature)]).toEqual([503, null])
      expect(await answer.text()).not.toContain('secret')
    }
  })
})
