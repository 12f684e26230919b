import { beforeAll, beforeEach, expect, it } from 'vitest'
import { openNodeAccounts } from '@/lib/ledger/accounts'
import type { Database } from '@/lib/platform/db/database'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import {
  again,
  booksOfPair,
  makePair,
  paymentOf,
  sendRow,
  signedAnswer,
  type Pair,
} from '@/test/lightning/sandbox-nodes'
import { recomputeBooks } from '@/test/vasp/books'
import { newNodeSecret } from '@/test/vasp/keys'
import { houseBalance } from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const NO_ROUTE = { kind: 'failed', failure: 'no-route' }
const AWAY = { kind: 'failed', failure: 'away' }
const NEVER_SENT = { kind: 'failed', failure: 'never-sent' }
const failed = (code: string, syscall: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code, syscall }) })

describeOnTwoDatabases('The totals of a peer', (payerDb, payeeDb) => {
  const secretHex = newNodeSecret()
  let vasp: TestVasp
  let pair: Pair
  beforeAll(async () => {
    vasp = await makeTestVasp(payeeDb(), { LIGHTNING_NODE_KEY: secretHex })
  })
  beforeEach(async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb(), vasp: { vasp, secretHex } })
  })

  it('are requested once, before the first payment', async () => {
    let questions = 0
    const { statementWire } = pair
    pair.statementWire = (url, init) => {
      questions += 1
      return statementWire(url, init)
    }
    await pair.payer.send(await paymentOf(pair))
    await pair.payer.send(await paymentOf(pair))
    expect([questions, pair.requests.length]).toEqual([1, 2])
  })

  it('are requested once by payments that begin at the same moment, and again after a failure', async () => {
    let questions = 0
    const { statementWire } = pair
    let broken = true
    pair.statementWire = (url, init) => {
      questions += 1
      return broken ? Promise.reject(failed('ECONNREFUSED', 'connect')) : statementWire(url, init)
    }
    const sendTen = async (): Promise<Set<string>> => {
      const payments = await Promise.all(Array.from({ length: 10 }, () => paymentOf(pair)))
      const outcomes = await Promise.all(payments.map((payment) => pair.payer.send(payment)))
      return new Set(outcomes.map(({ kind }) => kind))
    }
    expect([await sendTen(), questions]).toEqual([new Set(['failed']), 1])
    broken = false
    expect([await sendTen(), questions, pair.requests.length]).toEqual([new Set(['succeeded']), 2, 10])
  })

  it('fail the payment as away when the peer does not answer, and nothing is sent', async () => {
    pair.statementWire = () => Promise.reject(failed('ECONNREFUSED', 'connect'))
    const payment = await paymentOf(pair)
    expect(await pair.payer.send(payment)).toEqual(AWAY)
    expect(pair.requests).toEqual([])
    expect(await sendRow(payerDb(), payment.sendId)).toMatchObject({ state: 'failed', failure: 'away' })
  })

  it.each([503, 429])(
    'leave the payment unknown and unsent when the peer answers %i, as during a restart of its database',
    async (status) => {
      pair.statementWire = () => Promise.resolve(new Response('{}', { status }))
      const payment = await paymentOf(pair)
      expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
      expect(await pair.payer.track(payment)).toEqual(NEVER_SENT)
      expect(pair.requests).toEqual([])
    },
  )

  it.each([500, 401])('fail the payment with no-route when the peer answers %i', async (status) => {
    pair.statementWire = () => Promise.resolve(new Response('{}', { status }))
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(pair.requests).toEqual([])
  })

  it('leave the payment unknown and unsent while our own database is not available', async () => {
    const db = payerDb()
    let isLost = true
    const flaky: Database = {
      ...db,
      query: (statement, params) =>
        isLost && statement.name === 'node_totals' ? Promise.reject(new Error('lost')) : db.query(statement, params),
    }
    const payer = pair.sibling(flaky)
    const payment = await paymentOf(pair)
    expect(await payer.send(payment)).toEqual({ kind: 'unknown' })
    expect(await payer.track(payment)).toEqual(NEVER_SENT)
    isLost = false
    expect(await payer.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
  })

  /** As after a backup was restored: the payer's records of sends to this peer are gone. */
  async function forgetSends(): Promise<void> {
    const text = 'delete from lightning_node.sends where payee = $1'
    await payerDb().query({ name: 'test_forget', text }, [pair.payee.identity.publicKeyHex])
  }
  const suspense = (db: Database): Promise<bigint> => houseBalance(db, 'suspense')

  it('stop payments to a peer that has received more than our records show, and name the difference', async () => {
    await pair.payer.send(await paymentOf(pair))
    await forgetSends()
    const restored = pair.sibling(payerDb())
    vasp.logged.length = 0
    expect(await restored.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(pair.requests).toHaveLength(1)
    const peer = pair.payee.identity.publicKeyHex
    expect(restored.totals.differences()).toEqual([{ peer, sentMsats: 25_000n, receivedMsats: 0n }])
    expect(vasp.logged.join('')).toContain('a peer is not paid: its totals exceed our records')
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
  })

  it('cause one booking when four operators accept the difference at once, and then the peer is paid again', async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    const forgotten = await paymentOf(pair)
    await pair.payer.send(forgotten)
    await forgetSends()
    const peer = pair.payee.identity.publicKeyHex
    await openNodeAccounts(payerDb(), [peer])
    const restored = [pair.sibling(payerDb()), pair.sibling(payerDb())]
    const [first] = restored
    if (first === undefined) throw new Error('there are two')
    await first.totals.compareAll()
    const before = await suspense(payerDb())
    const decision = {
      peer,
      sentMsats: 25_000n,
      receivedMsats: 0n,
      by: 'ops',
      because: 'its operator has confirmed it',
    }
    const outcomes = await Promise.all([...restored, ...restored].map(({ totals }) => totals.accept(decision)))
    expect(outcomes.toSorted()).toEqual(['booked', 'changed', 'changed', 'changed'])
    expect((await suspense(payerDb())) - before).toBe(-25_000n)
    expect(await recomputeBooks(payerDb())).toEqual([])
    expect(first.totals.differences()).toEqual([])

    // The forgotten payment under another id: the payee has credited the invoice, and does not credit it again.
    expect(await first.send(again(forgotten))).toEqual({ kind: 'failed', failure: 'paid' })
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
    for (const node of restored) expect(await node.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
    expect(await booksOfPair(pair)).toEqual({ credited: 75_000n, owed: 75_000n })
  })

  it('are accepted only with the difference that the operator has seen', async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    await pair.payer.send(await paymentOf(pair))
    await forgetSends()
    const peer = pair.payee.identity.publicKeyHex
    await openNodeAccounts(payerDb(), [peer])
    const restored = pair.sibling(payerDb())
    const decision = {
      peer,
      sentMsats: 25_000n,
      receivedMsats: 0n,
      by: 'ops',
      because: 'its operator has confirmed it',
    }
    const before = await suspense(payerDb())
    for (const other of [{ sentMsats: 24_999n }, { receivedMsats: 1n }, { sentMsats: 0n }])
      expect(await restored.totals.accept({ ...decision, ...other })).toBe('changed')
    const { statementWire } = pair
    pair.statementWire = (url, init) =>
      signedAnswer(
        pair,
        new Request(url, init),
        JSON.stringify({ received_msats: '9'.repeat(30), sent_msats: '9'.repeat(30) }),
      )
    expect(await restored.totals.accept(decision)).toBe('changed')
    expect(await restored.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    pair.statementWire = () => Promise.reject(failed('ECONNREFUSED', 'connect'))
    expect(await restored.totals.accept(decision)).toBe('away')
    pair.statementWire = statementWire
    expect(await restored.totals.accept({ ...decision, peer: pair.payer.identity.publicKeyHex })).toBe('unknown')
    expect(await suspense(payerDb())).toBe(before)
    expect(await restored.totals.accept(decision)).toBe('booked')
  })

  it('once accepted, give payments ids that the payer cannot have used before', async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb() })
    const nextId = async (): Promise<bigint> => {
      const text = `select nextval(pg_get_serial_sequence('payments', 'id')) as id`
      return (await payerDb().query<{ id: bigint }>({ name: 'test_next_id', text }))[0]?.id ?? 0n
    }
    const before = await nextId()
    await pair.payer.send(await paymentOf(pair))
    await forgetSends()
    const peer = pair.payee.identity.publicKeyHex
    await openNodeAccounts(payerDb(), [peer])
    const decision = {
      peer,
      sentMsats: 25_000n,
      receivedMsats: 0n,
      by: 'ops',
      because: 'its operator has confirmed it',
    }
    expect(await pair.sibling(payerDb()).totals.accept(decision)).toBe('booked')
    expect((await nextId()) - before).toBeGreaterThan(1_000_000_000n)
  })

  it.each([
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
  ])(
    'do not matter for a later call that was never sent (%s in %s): the payment fails as away',
    async (code, syscall) => {
      await pair.payer.send(await paymentOf(pair))
      pair.wire = () => Promise.reject(failed(code, syscall))
      expect(await pair.payer.send(await paymentOf(pair))).toEqual(AWAY)
    },
  )

  it.each([
    ['ECONNRESET', 'read'],
    ['EHOSTUNREACH', 'read'],
    ['EPIPE', 'write'],
  ])(
    'do not matter for a later call whose connection was lost (%s in %s): it may have arrived, and its outcome is unknown',
    async (code, syscall) => {
      await pair.payer.send(await paymentOf(pair))
      pair.wire = () => Promise.reject(failed(code, syscall))
      expect(await pair.payer.send(await paymentOf(pair))).toEqual({ kind: 'unknown' })
    },
  )

  it('leave open a payment that was sent under another key of our node', async () => {
    const payment = await paymentOf(pair)
    pair.wire = async (url, init) => {
      await pair.payee.answer(new Request(url, init))
      throw new Error('the answer is lost')
    }
    expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
    pair.wire = (url, init) => pair.payee.answer(new Request(url, init))
    const renewed = pair.sibling(payerDb(), newNodeSecret())
    expect(await renewed.track(payment)).toEqual({ kind: 'unknown' })
    expect(await pair.payer.track(payment)).toMatchObject({ kind: 'succeeded' })
  })
})
