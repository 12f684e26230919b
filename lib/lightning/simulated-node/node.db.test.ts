import { createHash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { keysendIn } from '@/test/lightning/outgoing'
import {
  again,
  booksOfPair,
  disagreements,
  keysendOf,
  makePair,
  mend,
  paymentOf,
  sendRow,
  type Pair,
} from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { SendOutcome } from '../node'

const SUCCEEDED = { kind: 'succeeded', preimage: expect.stringMatching(/^[0-9a-f]{64}$/), feeMsats: 0n }
const UNKNOWN = { kind: 'unknown' }
const NEVER_SENT = { kind: 'failed', failure: 'never-sent' }

const hashOf = (outcome: SendOutcome): string =>
  createHash('sha256')
    .update(Buffer.from(outcome.kind === 'succeeded' ? outcome.preimage : '', 'hex'))
    .digest('hex')

describeOnTwoDatabases('Two simulated nodes', (payerDb, payeeDb) => {
  const secretHex = newNodeSecret()
  let vasp: TestVasp
  let pair: Pair
  const another = (over: Partial<Parameters<typeof makePair>[0]> = {}): Promise<Pair> =>
    makePair({ payerDb: payerDb(), payeeDb: payeeDb(), vasp: { vasp, secretHex }, ...over })
  beforeAll(async () => {
    vasp = await makeTestVasp(payeeDb(), { LIGHTNING_NODE_KEY: secretHex })
  })
  beforeEach(async () => {
    pair = await another()
  })
  afterEach(async () => {
    expect(await disagreements(payeeDb())).toEqual([])
  })

  it('pay an invoice: the preimage matches the hash, and the records of both agree', async () => {
    const payment = await paymentOf(pair)
    const outcome = await pair.payer.send(payment)
    expect(outcome).toEqual(SUCCEEDED)
    expect(hashOf(outcome)).toBe(payment.paymentHash)
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
    expect(await sendRow(payerDb(), payment.sendId)).toMatchObject({ state: 'succeeded', fee_msats: 0n })
    const receipts = await payeeDb().query(
      { name: 'test_receipts', text: 'select * from lightning_node.receipts where payment_hash = $1' },
      [payment.paymentHash],
    )
    expect(receipts).toMatchObject([
      {
        payer: pair.payer.identity.publicKeyHex,
        attempt: String(payment.sendId),
        state: 'received',
        amount_msats: 25_000n,
      },
    ])
    expect(await pair.payer.track(payment)).toEqual(outcome)
    expect(pair.requests).toHaveLength(1)
  })

  it('notify listeners after the commit, and a failing listener does not affect the payment', async () => {
    const payment = await paymentOf(pair)
    pair.payer.listen(() => Promise.reject(new Error('a listener')))
    const deaf = vi.fn(async () => {})
    pair.payee.listen(deaf)()
    const outcome = await pair.payer.send(payment)
    expect(pair.heard).toEqual({
      payer: [{ kind: 'sent', sendId: payment.sendId, outcome }],
      payee: [
        {
          kind: 'received',
          paymentHash: payment.paymentHash,
          amountMsats: 25_000n,
          account: pair.payer.identity.publicKeyHex,
          isBooked: true,
        },
      ],
    })
    expect(deaf).not.toHaveBeenCalled()
    expect(vasp.logged.join('')).toContain('a listener of the Lightning node failed')
  })

  it('end by track a payment that never arrived, and the late call credits nothing', async () => {
    const payment = await paymentOf(pair)
    pair.wire = () => Promise.reject(new Error('the request is lost'))
    expect(await pair.payer.send(payment)).toEqual(UNKNOWN)
    mend(pair)
    expect(await pair.payer.track(payment)).toEqual(NEVER_SENT)
    const [delayed] = pair.requests
    const answer = await pair.payee.answer((delayed ?? expect.fail('nothing was sent')).clone())
    expect(await answer.json()).toEqual({ state: 'refused', failure: 'never-sent' })
    expect(await booksOfPair(pair)).toEqual({ credited: 0n, owed: 0n })
    expect(await pair.payer.track(payment)).toEqual(NEVER_SENT)
    expect(await pair.payer.send(payment)).toEqual(NEVER_SENT)
  })

  it('refuse, without a call, to send an id that was tracked before', async () => {
    const payment = await paymentOf(pair)
    expect(await pair.payer.track(payment)).toEqual(NEVER_SENT)
    expect(await pair.payer.send(payment)).toEqual(NEVER_SENT)
    expect(pair.requests).toEqual([])
    expect(pair.heard.payer).toEqual([{ kind: 'sent', sendId: payment.sendId, outcome: NEVER_SENT }])
    // Under another id it is another payment.
    expect(await pair.payer.send(again(payment))).toEqual(SUCCEEDED)
  })

  it('have no route to a node that is not a peer, or to themselves', async () => {
    expect(pair.payer.accountFor(pair.payee.identity.publicKeyHex)).toBe(pair.payee.identity.publicKeyHex)
    expect(pair.payer.accountFor(pair.payer.identity.publicKeyHex)).toBeUndefined()
    const payment = await paymentOf(pair, { payee: `02${'11'.repeat(32)}` })
    expect(pair.payer.accountFor(payment.payee)).toBeUndefined()
    expect(await pair.payer.send(payment)).toEqual({ kind: 'failed', failure: 'no-route' })
    expect(await pair.payer.track(payment)).toEqual({ kind: 'failed', failure: 'no-route' })
    expect(pair.requests).toEqual([])
  })

  it.each([
    ['too little', 24_999n, { kind: 'failed', failure: 'amount' }],
    ['the exact amount', 25_000n, SUCCEEDED],
    ['twice as much', 50_000n, SUCCEEDED],
    ['more than twice as much', 50_001n, { kind: 'failed', failure: 'amount' }],
  ])('accept the amount of the invoice and up to twice as much: %s', async (_, amountMsats, expected) => {
    const outcome = await pair.payer.send(await paymentOf(pair, { amountMsats }))
    expect(outcome).toEqual(expected)
    const credited = outcome.kind === 'succeeded' ? amountMsats : 0n
    expect(await booksOfPair(pair)).toEqual({ credited, owed: credited })
  })

  it('refuse an unknown hash, and another invoice with a known hash', async () => {
    const known = await paymentOf(pair)
    const other = await paymentOf(pair)
    const failed = { kind: 'failed', failure: 'unknown' }
    expect(await pair.payer.send({ ...again(known), paymentHash: 'ab'.repeat(32) })).toEqual(failed)
    expect(await pair.payer.send({ ...again(known), paymentHash: other.paymentHash })).toEqual(failed)
    expect(await booksOfPair(pair)).toEqual({ credited: 0n, owed: 0n })
  })

  it('accept an invoice once: another attempt and another payer are refused as paid', async () => {
    const payment = await paymentOf(pair)
    await pair.payer.send(payment)
    const paid = { kind: 'failed', failure: 'paid' }
    expect(await pair.payer.send(again(payment))).toEqual(paid)
    const stranger = await another()
    expect(await stranger.payer.send(again(payment))).toEqual(paid)
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
    expect(await booksOfPair(stranger)).toEqual({ credited: 0n, owed: 0n })
  })

  it('refuse one attempt only: a later attempt and another payer may succeed', async () => {
    const stranger = await another()
    const payment = await paymentOf(pair)
    // Refused for its amount, ended by track, and ended by track for another peer.
    expect(await pair.payer.send({ ...payment, amountMsats: 1n })).toMatchObject({ failure: 'amount' })
    pair.wire = () => Promise.reject(new Error('lost'))
    const lost = again(payment)
    await pair.payer.send(lost)
    mend(pair)
    expect(await pair.payer.track(lost)).toEqual(NEVER_SENT)
    const guessed = again(payment)
    stranger.wire = () => Promise.reject(new Error('lost'))
    await stranger.payer.send({ ...payment, sendId: guessed.sendId + 1_000_000n })
    mend(stranger)
    expect(await stranger.payer.track({ ...payment, sendId: guessed.sendId + 1_000_000n })).toEqual(NEVER_SENT)
    expect(await pair.payer.send({ ...guessed, sendId: guessed.sendId + 2_000_000n })).toEqual(SUCCEEDED)
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
  })

  it('pay a user by keysend, once for each hash', async () => {
    const payment = keysendOf(pair)
    expect(await pair.payer.send(payment)).toEqual({ ...SUCCEEDED, preimage: keysendIn(payment)?.preimage })
    expect(await booksOfPair(pair)).toEqual({ credited: 7_000n, owed: 7_000n })
    expect(await pair.payer.send(again(payment))).toEqual({ kind: 'failed', failure: 'paid' })
    expect(await booksOfPair(pair)).toEqual({ credited: 7_000n, owed: 7_000n })
    const [row] = await payeeDb().query(
      { name: 'test_keysend', text: 'select invoice, metadata, settled_at from invoices where payment_hash = $1' },
      [payment.paymentHash],
    )
    expect(row).toMatchObject({
      invoice: null,
      metadata: { tlv_records: keysendIn(payment)?.records },
      settled_at: expect.any(Date),
    })
  })

  it('refuse a keysend to an unknown user, with the hash of an invoice, and with a preimage of another hash', async () => {
    expect(await pair.payer.send(keysendOf(pair, 'nobody'))).toEqual({ kind: 'failed', failure: 'unknown' })
    const { paymentHash } = await paymentOf(pair)
    expect(await pair.payer.send({ ...keysendOf(pair), paymentHash })).toEqual({ kind: 'failed', failure: 'unknown' })
    const paid = await paymentOf(pair)
    const outcome = await pair.payer.send(paid)
    const preimage = outcome.kind === 'succeeded' ? outcome.preimage : ''
    expect(await pair.payer.send(keysendOf(pair, pair.user, preimage))).toEqual({ kind: 'failed', failure: 'paid' })
    expect(await booksOfPair(pair)).toEqual({ credited: 25_000n, owed: 25_000n })
  })

  it('refuse a payment above the limit of a peer, and accept the next one within it', async () => {
    const small = await another({ peerLimitMsats: 60_000n })
    expect(await small.payer.send(await paymentOf(small))).toEqual(SUCCEEDED)
    expect(await small.payer.send(await paymentOf(small, { askedMsats: 35_001n }))).toEqual({
      kind: 'failed',
      failure: 'limit',
    })
    expect(await small.payer.send(await paymentOf(small, { askedMsats: 35_000n }))).toEqual(SUCCEEDED)
    expect(await booksOfPair(small)).toEqual({ credited: 60_000n, owed: 60_000n })
  })
})
