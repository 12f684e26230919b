import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { readWallets } from '@/lib/ledger/accounts'
import { payInvoice } from '@/lib/payments/pay-invoice'
import type { Database } from '@/lib/platform/db/database'
import { isVaspError } from '@/lib/platform/errors'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import {
  again,
  booksOfPair,
  disagreements,
  keysendOf,
  makePair,
  paymentOf,
  sendRow,
  type Pair,
} from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { SendOutcome, TrackOutcome } from '../node'
import type { SimulatedNode } from './node'

const ROUNDS = 20

describeOnPostgres('Simulated nodes at the same instant', (server) => {
  const secretHex = newNodeSecret()
  let payerDb: Database
  let siblingDb: Database
  let payeeDb: Database
  let vasp: TestVasp
  const newPair = (peerLimitMsats?: bigint): Promise<Pair> =>
    makePair({
      payerDb,
      payeeDb,
      vasp: { vasp, secretHex },
      ...(peerLimitMsats === undefined ? {} : { peerLimitMsats }),
    })
  beforeAll(async () => {
    const payerUrl = await server.createMigratedDatabase()
    payerDb = await openPatiently(payerUrl)
    siblingDb = await openPatiently(payerUrl)
    payeeDb = await openPatiently(await server.createMigratedDatabase())
    vasp = await makeTestVasp(payeeDb, { LIGHTNING_NODE_KEY: secretHex })
  })
  afterAll(() => Promise.all([payerDb, siblingDb, payeeDb].map((each) => each.close())))
  afterEach(async () => {
    expect(await disagreements(payeeDb)).toEqual([])
  })
  const count = (outcomes: readonly SendOutcome[]): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const outcome of outcomes) {
      const word = outcome.kind === 'failed' ? outcome.failure : outcome.kind
      counts[word] = (counts[word] ?? 0) + 1
    }
    return counts
  }

  it('a peer cannot exceed its limit with twenty payments at once', async () => {
    const pair = await newPair(500_000n)
    const payments = []
    for (let index = 0; index < 20; index++) payments.push(await paymentOf(pair, { askedMsats: 100_000n }))
    const outcomes = await Promise.all(payments.map((payment) => pair.payer.send(payment)))
    expect(count(outcomes)).toEqual({ succeeded: 5, limit: 15 })
    expect(await booksOfPair(pair)).toEqual({ credited: 500_000n, owed: 500_000n })
  })

  it('a peer cannot exceed its limit with concurrent keysends to one user', async () => {
    const pair = await newPair(35_000n)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => pair.payer.send(keysendOf(pair))))
    expect(count(outcomes)).toEqual({ succeeded: 5, limit: 15 })
    expect(await booksOfPair(pair)).toEqual({ credited: 35_000n, owed: 35_000n })
  })

  it('copies of one call are received once and get the same answer', async () => {
    const pair = await newPair()
    for (const payment of [await paymentOf(pair), keysendOf(pair)]) {
      pair.wire = async (url, init) => {
        const requests = Array.from({ length: 10 }, () => new Request(url, init))
        const answers = await Promise.all(requests.map((request) => pair.payee.answer(request)))
        const bodies = await Promise.all(answers.map((answer) => answer.clone().text()))
        expect(new Set(bodies).size).toBe(1)
        return answers[9] ?? expect.fail('no answer')
      }
      expect(await pair.payer.send(payment)).toMatchObject({ kind: 'succeeded' })
    }
    expect(await booksOfPair(pair)).toEqual({ credited: 32_000n, owed: 32_000n })
  })

  it('of ten attempts to pay one invoice or one keysend, one succeeds and the others are refused as paid', async () => {
    const pair = await newPair()
    for (const payment of [await paymentOf(pair), keysendOf(pair)]) {
      const tries = Array.from({ length: 10 }, () => again(payment))
      expect(count(await Promise.all(tries.map((each) => pair.payer.send(each))))).toEqual({ succeeded: 1, paid: 9 })
    }
    expect(await booksOfPair(pair)).toEqual({ credited: 32_000n, owed: 32_000n })
  })

  it('an invoice that our own user and a peer pay at the same time is credited once, and one of them is refused', async () => {
    const pair = await newPair()
    const own = await newUser(vasp, { SAT: 10_000_000n })
    const winners = { own: 0, peer: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const payment = await paymentOf(pair)
      const before = (await walletOf(payeeDb, pair.user, 'SAT')).available
      const request = {
        username: own,
        connectionId: null,
        wallets: await readWallets(payeeDb, own),
        invoice: payment.what.invoice,
        amountMsats: undefined,
      }
      // The peer's call takes longer, so it gets a longer head start in each round. The database decides either way.
      const inside = async (): Promise<unknown> => {
        await setTimeout(round / 2)
        return payInvoice(vasp.app, request).catch((error: unknown) => error)
      }
      const [outcome, paid] = await Promise.all([pair.payer.send(payment), inside()])
      if (outcome.kind === 'succeeded') {
        winners.peer += 1
        expect(isVaspError(paid) && paid.message).toBe('Another user has paid this invoice already.')
      } else {
        winners.own += 1
        expect(outcome).toEqual({ kind: 'failed', failure: 'paid' })
        expect(paid).toMatchObject({ debit: 25_000n })
      }
      expect((await walletOf(payeeDb, pair.user, 'SAT')).available).toBe(before + 25_000n)
    }
    expect((await walletOf(payeeDb, own, 'SAT')).available).toBe(10_000_000n - BigInt(winners.own) * 25_000n)
    expect((await booksOfPair(pair)).owed).toBe(BigInt(winners.peer) * 25_000n)
  })

  it('two instances that send and track one payment at the same time agree on its outcome, and money moves at most once', async () => {
    const pair = await newPair()
    const [one, two] = [pair.payer, pair.sibling(siblingDb)]
    let succeeded = 0n
    for (let round = 0; round < ROUNDS; round++) {
      const payment = await paymentOf(pair)
      // The track calls come a little later in each round.
      const tracked = (instance: SimulatedNode): Promise<TrackOutcome> =>
        setTimeout(round).then(() => instance.track(payment))
      const said = await Promise.all([one.send(payment), tracked(two), two.send(payment), tracked(one)])
      const final = await Promise.all([one.track(payment), two.track(payment)])
      expect(final[0]).toEqual(final[1])
      expect(final[0]?.kind).not.toBe('unknown')
      // No caller received a different outcome in between.
      for (const word of said) expect([final[0], { kind: 'unknown' }]).toContainEqual(word)
      expect(await sendRow(payerDb, payment.sendId)).toMatchObject({ state: final[0]?.kind })
      if (final[0]?.kind === 'succeeded') succeeded += 1n
      expect(await booksOfPair(pair)).toEqual({ credited: succeeded * 25_000n, owed: succeeded * 25_000n })
    }
  })

  it('a pay call and a track call at the same moment end with the same outcome on both sides', async () => {
    const pair = await newPair()
    const other = pair.sibling(siblingDb)
    let succeeded = 0n
    for (let round = 0; round < ROUNDS; round++) {
      const payment = await paymentOf(pair)
      let tracked: Promise<TrackOutcome> | undefined
      pair.wire = async (url, init) => {
        // The send is recorded by now: the other instance tracks it while the payment is in progress.
        if (url.endsWith('/pay')) tracked = other.track(payment)
        return pair.payee.answer(new Request(url, init))
      }
      const outcome = await pair.payer.send(payment)
      expect(await tracked).toEqual(outcome)
      if (outcome.kind === 'succeeded') succeeded += 1n
      else expect(outcome).toEqual({ kind: 'failed', failure: 'never-sent' })
      expect(await booksOfPair(pair)).toEqual({ credited: succeeded * 25_000n, owed: succeeded * 25_000n })
    }
  })
})
