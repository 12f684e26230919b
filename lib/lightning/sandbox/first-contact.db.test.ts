import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openNodeAccounts } from '@/lib/ledger/accounts'
import { newNodeSecret } from '@/test/keys'
import { describeOnTwoDatabases } from '@/test/databases'
import { again, booksOfPair, makePair, paymentOf, sendRow, signedAnswer, type Pair } from '@/test/sandbox-nodes'
import { makeTestVasp, type TestVasp } from '@/test/vasp'

const NO_ROUTE = { kind: 'failed', failure: 'no-route' }
const AWAY = { kind: 'failed', failure: 'away' }
const NEVER_SENT = { kind: 'failed', failure: 'never-sent' }
const failed = (code: string, syscall: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code, syscall }) })

describeOnTwoDatabases('The first contact with a peer', (payerDb, payeeDb) => {
  const secretHex = newNodeSecret()
  let vasp: TestVasp
  let pair: Pair
  beforeAll(async () => {
    vasp = await makeTestVasp(payeeDb(), { LIGHTNING_NODE_KEY: secretHex })
  })
  beforeEach(async () => {
    pair = await makePair({ payerDb: payerDb(), payeeDb: payeeDb(), vasp: { vasp, secretHex } })
  })

  it('is made once, before the first payment', async () => {
    let contacts = 0
    const { contact } = pair
    pair.contact = (url, init) => {
      contacts += 1
      return contact(url, init)
    }
    await pair.payer.send(await paymentOf(pair))
    await pair.payer.send(await paymentOf(pair))
    expect([contacts, pair.requests.length]).toEqual([1, 2])
  })

  it('is one for all payments that begin at the same moment, and another one after it failed', async () => {
    let contacts = 0
    const { contact } = pair
    let broken = true
    pair.contact = (url, init) => {
      contacts += 1
      return broken ? Promise.reject(failed('ECONNREFUSED', 'connect')) : contact(url, init)
    }
    const sendTen = async (): Promise<Set<string>> => {
      const payments = await Promise.all(Array.from({ length: 10 }, () => paymentOf(pair)))
      const outcomes = await Promise.all(payments.map((payment) => pair.payer.send(payment)))
      return new Set(outcomes.map(({ kind }) => kind))
    }
    expect([await sendTen(), contacts]).toEqual([new Set(['failed']), 1])
    broken = false
    expect([await sendTen(), contacts, pair.requests.length]).toEqual([new Set(['succeeded']), 2, 10])
  })

  it('with a peer that does not answer ends the payment at once: nothing was sent', async () => {
    pair.contact = () => Promise.reject(failed('ECONNREFUSED', 'connect'))
    const payment = await paymentOf(pair)
    expect(await pair.payer.send(payment)).toEqual(AWAY)
    expect(pair.requests).toEqual([])
    expect(await sendRow(payerDb(), payment.sendId)).toMatchObject({ state: 'failed', failure: 'away' })
  })

  it.each([503, 429])(
    'with a peer that answers %i, as while its database restarts, says nothing of the route',
    async (status) => {
      pair.contact = () => Promise.resolve(new Response('{}', { status }))
      const payment = await paymentOf(pair)
      expect(await pair.payer.send(payment)).toEqual({ kind: 'unknown' })
      expect(await pair.payer.track(payment)).toEqual(NEVER_SENT)
      expect(pair.requests).toEqual([])
    },
  )

  it.each([500, 401])('with a peer that answers %i, which no later call makes good, finds no route', async (status) => {
    pair.contact = () => Promise.resolve(new Response('{}', { status }))
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(pair.requests).toEqual([])
  })

  it('while our own database is not available says nothing of the route', async () => {
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

  it('finds that the payer has forgotten what it sent, as after a backup was put back: nothing more is sent', async () => {
    await pair.payer.send(await paymentOf(pair))
    // The same node on books that know nothing of it.
    const restored = pair.sibling(payeeDb())
    vasp.logged.length = 0
    expect(await restored.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(pair.requests).toHaveLength(1)
    expect(vasp.logged.join('')).toContain('has received 25000 msats from us, our books know of 0')
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
  })

  it('G17: writes down each forgotten payment once, however many pages tell of them, and nothing that is known', async () => {
    const payments = []
    for (let count = 0; count < 30; count++) payments.push(await paymentOf(pair))
    for (const payment of payments) await pair.payer.send(payment)
    // All but two of them are forgotten: the first one and one in between.
    const kept = [payments[0], payments[11]].map((each) => each?.sendId)
    const text = `delete from lightning_node.sends where payee = $1 and send_id <> all ($2::bigint[])`
    await payerDb().query({ name: 'test_forget', text }, [pair.payee.identity.publicKeyHex, kept])
    const restored = pair.sibling(payerDb())
    expect(await restored.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    await restored.meetPeers()
    const forgotten = payments.filter(({ sendId }) => !kept.includes(sendId)).map(({ paymentHash }) => paymentHash)
    const rows = await toldBy(pair.payee.identity.publicKeyHex)
    expect(rows.map((row) => row.payment_hash).toSorted()).toEqual(forgotten.toSorted())
    expect(new Set(rows.map((row) => row.direction))).toEqual(new Set(['sent']))

    // One that met the peer before is held back by the books, and after a person has believed it no hash is paid twice.
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    await openNodeAccounts(payerDb(), [pair.payee.identity.publicKeyHex])
    const accept = `select count(*)::int as count from lightning_node.accept_reconciliation_items($1, 9223372036854775807, 'ops', 'seen')`
    expect(await payerDb().query({ name: 'test_accept', text: accept }, [pair.payee.identity.publicKeyHex])).toEqual([
      { count: 28 },
    ])
    const lost = payments[5] ?? expect.fail('thirty were made')
    expect(await restored.send(again(lost))).toEqual({ kind: 'failed', failure: 'paid' })
    expect(await restored.send(await paymentOf(pair))).toMatchObject({ kind: 'succeeded' })
  })

  it('G17: with a peer whose list does not add up writes nothing down that is not on it, and sends nothing', async () => {
    const { contact } = pair
    pair.contact = async (url, init) => {
      const request = new Request(url, init)
      const body = url.endsWith('/statement')
        ? { received_msats: '999999999999', sent_msats: '0' }
        : { payments: [], next: null }
      return url.endsWith('/pay') ? contact(url, init) : signedAnswer(pair, request, JSON.stringify(body))
    }
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(await toldBy(pair.payee.identity.publicKeyHex)).toEqual([])
    expect(pair.requests).toEqual([])
  })

  function toldBy(peer: string): Promise<{ readonly direction: string; readonly payment_hash: string }[]> {
    const text =
      'select direction, payment_hash from lightning_node.reconciliation_items where peer = $1 and accepted_at is null'
    return payerDb().query({ name: 'test_told', text }, [peer])
  }

  it.each([
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
  ])('later: a call that could not leave (%s in %s) ends the payment at once', async (code, syscall) => {
    await pair.payer.send(await paymentOf(pair))
    pair.wire = () => Promise.reject(failed(code, syscall))
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(AWAY)
  })

  it.each([
    ['ECONNRESET', 'read'],
    ['EHOSTUNREACH', 'read'],
    ['EPIPE', 'write'],
  ])('later: a call that broke off on its way (%s in %s) may have arrived', async (code, syscall) => {
    await pair.payer.send(await paymentOf(pair))
    pair.wire = () => Promise.reject(failed(code, syscall))
    expect(await pair.payer.send(await paymentOf(pair))).toEqual({ kind: 'unknown' })
  })

  it('is nothing that a changed key could use: what was sent under another stays open', async () => {
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

  // Last: from here on this peer is in review.
  it('G17: lets five hundred wait for a person, however many the peer makes up', async () => {
    const { contact } = pair
    const told = (): { payment_hash: string; attempt: string; amount_msats: string } => ({
      payment_hash: newNodeSecret(),
      attempt: '1',
      amount_msats: '1',
    })
    let pages = 0
    pair.contact = async (url, init) => {
      const request = new Request(url, init)
      if (url.endsWith('/history')) pages += 1
      const body = url.endsWith('/statement')
        ? { received_msats: '999999999999', sent_msats: '0' }
        : { payments: Array.from({ length: 25 }, told), next: '1' }
      return url.endsWith('/pay') ? contact(url, init) : signedAnswer(pair, request, JSON.stringify(body))
    }
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    const seen = await toldBy(pair.payee.identity.publicKeyHex)
    expect([seen.length, pages]).toEqual([500, 20])
    expect(await pair.payer.send(await paymentOf(pair))).toEqual(NO_ROUTE)
    expect(await toldBy(pair.payee.identity.publicKeyHex)).toHaveLength(500)
    expect(pages).toBe(20)
  })
})
