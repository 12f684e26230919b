import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import {
  booksOfPair,
  disagreements,
  keysendOf,
  makePair,
  mend,
  paymentOf,
  sendRow,
  signedRequest,
  type Pair,
} from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { nodePublicKey } from '../node-key'
import type { SimulatedNode } from './node'
import { forgetOldRefusals } from './old-refusals'
import { HEADERS } from './signature'

const TRACK = '/sandbox-ln/v1/track'
let lastHash = 0
/** A hash that was not used before. */
const newHash = (): string => (lastHash += 1).toString(16).padStart(64, '0')

describeOnBothEngines('A node that is called too often', (db) => {
  let pair: Pair
  let limited: SimulatedNode
  const mallorySecret = newNodeSecret()
  const mallory = nodePublicKey(mallorySecret)

  beforeAll(async () => {
    pair = await makePair({ payerDb: db(), payeeDb: db() })
  })
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: Date.now() })
    limited = pair.payeeWith({ rateLimits: true, morePeers: [mallory] })
    pair.wire = (url, init) => limited.answer(new Request(url, init))
    return () => {
      vi.useRealTimers()
      mend(pair)
    }
  })

  const track = (secret: string, paymentHash: string): Promise<Response> => {
    const body = JSON.stringify({ payment_hash: paymentHash, attempt: '1' })
    return limited.answer(signedRequest(secret, { path: TRACK, body }, pair.payeeOrigin))
  }
  /** Repeats a call that the node refuses without asking its database, until it is answered with 429. */
  async function spend(secret: string): Promise<void> {
    const call = signedRequest(secret, { path: TRACK, body: '{}' }, pair.payeeOrigin)
    for (let count = 0; count < 1_300; count++) {
      const { status } = await limited.answer(call.clone())
      if (status === 429) return
      expect(status).toBe(400)
    }
    expect.fail('no call was refused')
  }
  async function statuses(calls: number, call: () => Promise<Response>): Promise<Map<number, number>> {
    const counts = new Map<number, number>()
    for (let count = 0; count < calls; count++) {
      const { status } = await call()
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    return counts
  }
  async function refusedRows(payer: string): Promise<number> {
    const text = `select count(*)::int as count from lightning_node.receipts where payer = $1 and state = 'refused'`
    const [row] = await db().query<{ count: number }>({ name: 'test_refused_rows', text }, [payer])
    return row?.count ?? 0
  }

  it('answers 429 with Retry-After to calls that no peer has signed, and still carries out a peer’s call', async () => {
    const stranger = newNodeSecret()
    const counts = await statuses(150, () => track(stranger, newHash()))
    expect([...counts]).toEqual([
      [401, 100],
      [429, 50],
    ])
    const answer = await track(stranger, newHash())
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get(HEADERS.signature)]).toEqual([
      429,
      '1',
      null,
    ])
    expect(await answer.json()).toEqual({ code: 'RATE_LIMITED', message: 'Too many requests. Try again later.' })
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
    vi.advanceTimersByTime(1_100)
    expect((await track(stranger, newHash())).status).toBe(401)
  })

  it('does not count calls with a forged signature against the peer', async () => {
    const forged = (): Promise<Response> => {
      const body = JSON.stringify({ payment_hash: newHash(), attempt: '1' })
      const payer = nodePublicKey(pair.payerSecret)
      return limited.answer(signedRequest(newNodeSecret(), { path: TRACK, body, payer }, pair.payeeOrigin))
    }
    expect((await statuses(150, forged)).get(200)).toBeUndefined()
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
  })

  it('rejects only the peer that calls too often, and records nothing for it', async () => {
    expect((await track(mallorySecret, newHash())).status).toBe(200)
    await spend(mallorySecret)
    const before = await refusedRows(mallory)
    expect(before).toBe(1)
    expect((await track(mallorySecret, newHash())).status).toBe(429)
    expect(await refusedRows(mallory)).toBe(before)
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
  })

  it('does not lose a payment because of a 429: a later track returns its outcome', async () => {
    for (const lost of ['before it was carried out', 'after it was carried out']) {
      const payment = await paymentOf(pair)
      const before = await booksOfPair(pair)
      let real: Response | undefined
      pair.wire = async (url, init) => {
        if (lost.startsWith('after')) real = await limited.answer(new Request(url, init))
        return new Response('{"code":"RATE_LIMITED"}', { status: 429, headers: { 'Retry-After': '1' } })
      }
      expect(await pair.payer.send(payment), lost).toEqual({ kind: 'unknown' })
      expect(await pair.payer.track(payment), lost).toEqual({ kind: 'unknown' })
      expect(await sendRow(db(), payment.sendId)).toMatchObject({ state: 'in_flight' })
      mend(pair)
      const arrived = real?.status === 200
      expect(await pair.payer.track(payment), lost).toMatchObject(
        arrived ? { kind: 'succeeded' } : { kind: 'failed', failure: 'never-sent' },
      )
      // The rejected call, repeated now, credits nothing more.
      const copy = pair.requests.findLast((request) => request.url.endsWith('/pay')) ?? expect.fail('nothing was sent')
      await limited.answer(copy.clone())
      expect((await booksOfPair(pair)).credited - before.credited, lost).toBe(arrived ? 25_000n : 0n)
    }
  })

  it('keeps a payment open when track answers 429, and ends it later', async () => {
    const payment = await paymentOf(pair)
    pair.wire = () => Promise.reject(new Error('reset in transit'))
    expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
    pair.wire = (url, init) => limited.answer(new Request(url, init))
    await spend(pair.payerSecret)
    expect(await pair.payer.track(payment)).toEqual({ kind: 'unknown' })
    vi.advanceTimersByTime(60_100)
    expect(await pair.payer.track(payment)).toEqual({ kind: 'failed', failure: 'never-sent' })
  })
})

describeOnBothEngines('Refusals older than two hours', (db) => {
  let pair: Pair
  beforeAll(async () => {
    pair = await makePair({ payerDb: db(), payeeDb: db() })
  })
  const age = async (interval: string): Promise<void> => {
    for (const text of [
      'alter table lightning_node.receipts disable trigger receipts_append_only',
      `update lightning_node.receipts set created_at = now() - interval '${interval}'`,
      'alter table lightning_node.receipts enable trigger receipts_append_only',
    ])
      await db().query({ name: `test_age ${text.slice(-40)}`, text })
  }
  const states = async (): Promise<string[]> => {
    const text = 'select state from lightning_node.receipts order by id'
    return (await db().query<{ state: string }>({ name: 'test_receipt_states', text })).map(({ state }) => state)
  }

  it('are deleted, unlike receipts, and a late call is rejected for its age', async () => {
    pair.wire = () => Promise.reject(new Error('held up'))
    const delayed = await paymentOf(pair)
    expect(await pair.payer.send(delayed)).toEqual({ kind: 'unknown' })
    mend(pair)
    expect(await pair.payer.track(delayed)).toMatchObject({ kind: 'failed' })
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
    expect(await pair.payer.send(keysendOf(pair))).toMatchObject({ kind: 'succeeded' })
    expect(await forgetOldRefusals(db())).toBe(0)
    await age('3 hours')
    expect(await forgetOldRefusals(db())).toBe(1)
    expect(await states()).toEqual(['received', 'received'])
    const before = await booksOfPair(pair)
    const call = pair.requests[0] ?? expect.fail('nothing was sent')
    // Three hours later by the payee's clock, which no longer accepts the timestamp.
    const later = pair.payeeWith({ clock: { now: () => new Date(Date.now() + 3 * 3_600_000) } })
    expect((await later.answer(call.clone())).status).toBe(401)
    expect(await booksOfPair(pair)).toEqual(before)
    expect(await disagreements(db())).toEqual([])
  })

  it('are the only rows that can be deleted: the database rejects deleting others, and every update', async () => {
    await age('3 hours')
    const refused = (text: string): Promise<unknown> =>
      expect(db().query({ name: text.slice(0, 60), text })).rejects.toThrow()
    await refused(`delete from lightning_node.receipts where state = 'received'`)
    await age('50 minutes')
    const body = JSON.stringify({ payment_hash: newHash(), attempt: '1' })
    await pair.payee.answer(signedRequest(pair.payerSecret, { path: TRACK, body }, pair.payeeOrigin))
    await refused(`delete from lightning_node.receipts where state = 'refused'`)
    await refused(`update lightning_node.receipts set failure = 'late' where state = 'refused'`)
    await refused(`truncate lightning_node.receipts`)
  })
})
