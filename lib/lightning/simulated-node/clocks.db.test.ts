import { beforeAll, describe, expect, it } from 'vitest'
import type { Clock } from '@/lib/platform/clock'
import { describeOnBothEngines } from '@/test/databases/databases'
import { booksOfPair, makePair, paymentOf, signedRequest, type Pair } from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { CLOCK_SKEW_MS, DEADLINE_MS } from './messages'

/** A clock that is this much ahead of the correct time; negative: behind it. */
const ahead = (ms: number): Clock => ({ now: () => new Date(Date.now() + ms) })
/** Margin for the run time of the test, so that the limits also hold on a slow machine. */
const ROOM_MS = 10_000

describeOnBothEngines('Two nodes whose clocks differ', (db) => {
  const secretHex = newNodeSecret()
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db(), { LIGHTNING_NODE_KEY: secretHex })
  })
  const pairWith = (payerClock: Clock): Promise<Pair> =>
    makePair({ payerDb: db(), payeeDb: db(), payerClock, vasp: { vasp, secretHex } })

  it.each([
    ['behind', -(CLOCK_SKEW_MS - ROOM_MS)],
    ['ahead', CLOCK_SKEW_MS - ROOM_MS],
  ])("pay each other while the payer's clock is almost two minutes %s", async (_, ms) => {
    const pair = await pairWith(ahead(ms))
    expect(await pair.payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
    expect(await booksOfPair(pair)).toMatchObject({ owed: 25_000n })
  })

  it.each([
    ['behind', -(CLOCK_SKEW_MS + ROOM_MS)],
    ['ahead', CLOCK_SKEW_MS + ROOM_MS],
  ])("fail a payment while the payer's clock is more than two minutes %s, and send nothing", async (_, ms) => {
    const pair = await pairWith(ahead(ms))
    expect(await pair.payer.send(await paymentOf(pair))).toEqual({ kind: 'failed', failure: 'no-route' })
    expect(pair.requests).toEqual([])
  })

  describe('a late call', () => {
    /** A call that was signed just now and whose deadline passed this long ago by the clock of the payee's database. */
    async function late(pair: Pair, deadlineAgoMs: number): Promise<unknown> {
      const { paymentHash, amountMsats, what } = await paymentOf(pair)
      const { invoice } = what
      const body = JSON.stringify({
        payment_hash: paymentHash,
        attempt: '1',
        amount_msats: String(amountMsats),
        deadline: Date.now() - deadlineAgoMs,
        invoice,
      })
      return (await pair.payee.answer(signedRequest(pair.payerSecret, { body }, pair.payeeOrigin))).json()
    }

    it('is accepted while its deadline may not yet have passed by the payer’s clock, and refused permanently after that', async () => {
      const pair = await pairWith(ahead(0))
      expect(await late(pair, CLOCK_SKEW_MS - ROOM_MS)).toMatchObject({ state: 'received' })
      const before = await booksOfPair(pair)
      expect(await late(pair, CLOCK_SKEW_MS + 1)).toEqual({ state: 'refused', failure: 'late' })
      expect(await booksOfPair(pair)).toEqual(before)
    })

    it('is rejected without being read when its timestamp is more than two minutes old, whatever its deadline', async () => {
      const pair = await pairWith(ahead(0))
      const payment = await paymentOf(pair)
      pair.wire = () => Promise.reject(new Error('held up'))
      expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
      const call = pair.requests[0] ?? expect.fail('nothing was sent')
      const later = pair.payeeWith({ clock: ahead(CLOCK_SKEW_MS + ROOM_MS) })
      expect((await later.answer(call.clone())).status).toBe(401)
      // The deadline alone would not reject the call in time: it passes only after the payer has stopped waiting (5 seconds).
      expect(DEADLINE_MS).toBeGreaterThan(5_000)
      expect(await booksOfPair(pair)).toMatchObject({ owed: 0n })
    })

    it('is refused after its payment was tracked, even before its deadline', async () => {
      const pair = await pairWith(ahead(-(CLOCK_SKEW_MS - ROOM_MS)))
      const payment = await paymentOf(pair)
      pair.wire = () => Promise.reject(new Error('held up'))
      expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
      const call = pair.requests[0] ?? expect.fail('nothing was sent')
      pair.wire = (url, init) => pair.payee.answer(new Request(url, init))
      expect(await pair.payer.track(payment)).toEqual({ kind: 'failed', failure: 'never-sent' })
      expect(await (await pair.payee.answer(call.clone())).json()).toEqual({ state: 'refused', failure: 'never-sent' })
      expect(await booksOfPair(pair)).toMatchObject({ owed: 0n })
    })
  })
})
