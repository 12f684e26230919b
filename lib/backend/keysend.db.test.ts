import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { recomputeBooks } from '@/test/vasp/books'
import { booksOf, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'

const ALL = ['pay_keysend', 'lookup_invoice', 'list_transactions']
const hex = (text: string): string => Buffer.from(text).toString('hex')
const hashOf = (preimage: string): string => createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
const newPreimage = (): string => randomBytes(32).toString('hex')

describeOnBothEngines('POST /payments/keysend', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: string
  let payee: string
  let token: string
  let own: string

  beforeAll(async () => {
    node = makeScriptedNode()
    own = node.identity.publicKeyHex
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 0n
    payer = await newUser(vasp, { SAT: 1_000_000n, USD: 100_000n })
    payee = await newUser(vasp, { SAT: 0n })
    token = await vasp.connectionToken(payer, ALL)
  })

  const send = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Answer> =>
    vasp.post('/payments/keysend', token, body, headers)
  const named = (name: string, ...more: object[]): object[] => [{ type: 696_969, value: hex(name) }, ...more]
  const available = async (username: string, code: 'SAT' | 'USD' = 'SAT'): Promise<bigint> =>
    (await walletOf(db(), username, code)).available

  describe('to this VASP’s node', () => {
    test('credits the user named by record 696969 at once, and shows the payment with its records to both users', async () => {
      const records = named(payee, { type: 34_349_334, value: hex('for the tea') })
      const { status, body } = await send({ amount: 25_000, pubkey: own, tlv_records: records })
      expect([status, body.total_budget_currency_amount]).toEqual([200, 25])
      expect([await available(payer), await available(payee)]).toEqual([975_000n, 25_000n])
      const hash = hashOf(String(body.preimage))
      const common = {
        payment_hash: hash,
        amount: 25_000,
        fees_paid: 0,
        invoice: null,
        description: 'for the tea',
        preimage: body.preimage,
        metadata: { destination: own, tlv_records: records },
      }
      expect((await vasp.get(`/invoices/${hash}`, token)).body).toMatchObject({ type: 'outgoing', ...common })
      const theirs = await vasp.connectionToken(payee, ALL)
      expect((await vasp.get(`/invoices/${hash}`, theirs)).body).toMatchObject({
        type: 'incoming',
        expires_at: null,
        ...common,
      })
      expect((await vasp.get('/transactions', theirs)).body.transactions).toHaveLength(1)
      expect(await recomputeBooks(db())).toEqual([])
    })

    test('uses the preimage that is only in record 5482373484, which is not shown among the records', async () => {
      const preimage = randomBytes(32).toString('hex')
      const records = named(payee)
      const tlv_records = [...records, { type: 5_482_373_484, value: preimage }]
      expect((await send({ amount: 1_000, pubkey: own, tlv_records })).body).toMatchObject({ preimage })
      expect((await vasp.get(`/invoices/${hashOf(preimage)}`, token)).body).toMatchObject({
        preimage,
        metadata: { tlv_records: records },
      })
    })

    test('rounds debits up and credits down between fiat wallets', async () => {
      const [from, to] = [await newUser(vasp, { USD: 100n }), await newUser(vasp, { USD: 0n })]
      const body = { amount: 25_001, pubkey: own, tlv_records: named(to), budget_currency_code: 'USD' }
      const answer = await vasp.post('/payments/keysend', await vasp.connectionToken(from, ALL), body)
      expect([answer.status, answer.body.total_budget_currency_amount]).toEqual([200, 3])
      expect([await available(from, 'USD'), await available(to, 'USD')]).toEqual([97n, 2n])
      expect(await recomputeBooks(db())).toEqual([])
    })

    test('answers 404 and moves nothing without a record, for an unknown name and for invalid bytes', async () => {
      const before = await booksOf(db())
      for (const records of [null, [], named('nobody-here'), [{ type: 696_969, value: 'ff00' }], named('')]) {
        const { status, body } = await send({ amount: 1_000, pubkey: own, tlv_records: records })
        expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
      }
      expect(await booksOf(db())).toEqual(before)
    })

    test('moves nothing from a user to the same user, and shows both sides in the history', async () => {
      expect((await send({ amount: 5_000, pubkey: own, tlv_records: named(payer) })).status).toBe(200)
      expect(await available(payer)).toBe(1_000_000n)
      const { body } = await vasp.get('/transactions', token)
      expect((body.transactions as { type: string }[]).map(({ type }) => type).toSorted()).toEqual([
        'incoming',
        'outgoing',
      ])
      expect(await recomputeBooks(db())).toEqual([])
    })

    test('refuses a preimage that was used for anything else', async () => {
      const preimage = newPreimage()
      const body = { amount: 7_000, pubkey: own, preimage, tlv_records: named(payee) }
      await send(body)
      const before = await booksOf(db())
      for (const other of [{ amount: 7_001 }, { pubkey: node.remoteKey }, { tlv_records: named(payer) }]) {
        expect((await send({ ...body, ...other })).body.code).toBe('OTHER')
      }
      const stranger = await newUser(vasp, { SAT: 1_000_000n })
      const theirs = await vasp.connectionToken(stranger, ALL)
      const { status, body: answer } = await vasp.post('/payments/keysend', theirs, body)
      expect([status, JSON.stringify(answer).includes(preimage)]).toEqual([400, false])
      expect({ ...((await booksOf(db())) as object), accounts: 0 }).toMatchObject({
        payments: (before as { payments: unknown }).payments,
      })
    })

    test('refuses the preimage of an invoice', async () => {
      const bill = await invoiceOf(vasp, payee, 'SAT', 1_000n)
      const [row] = await db().query<{ preimage: string }>(
        { name: 'test_preimage', text: `select preimage from invoices where payment_hash = $1` },
        [bill.paymentHash],
      )
      const { status } = await send({ amount: 1_000, pubkey: own, preimage: row?.preimage, tlv_records: named(payee) })
      expect(status).toBe(400)
      expect(await available(payee)).toBe(0n)
    })

    test('debits the first wallet that covers the payment, and reports INSUFFICIENT_BALANCE when none does', async () => {
      expect((await send({ amount: 5_000_000, pubkey: own, tlv_records: named(payee) })).status).toBe(200)
      expect([await available(payer), await available(payer, 'USD')]).toEqual([1_000_000n, 99_500n])
      const { status, body } = await send({ amount: 9_999_999_000, pubkey: own, tlv_records: named(payee) })
      expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
    })
  })

  describe('to another node', () => {
    test('stores the preimage before the payment is sent, holds the fee limit, and settles on the node’s answer', async () => {
      node.feeMsats = 2_000n
      const records = [{ type: 7_629_169, value: hex('{"podcast":"x"}') }]
      const { status, body } = await send({ amount: 100_000, pubkey: node.remoteKey, tlv_records: records })
      expect([status, body.total_budget_currency_amount]).toEqual([200, 102])
      expect(await available(payer)).toBe(898_000n)
      const sent = node.sent.at(-1)
      expect(sent).toMatchObject({
        payee: node.remoteKey,
        amountMsats: 100_000n,
        feeLimitMsats: 10_000n,
        what: { kind: 'keysend', preimage: body.preimage, records },
      })
      expect((await vasp.get(`/invoices/${hashOf(String(body.preimage))}`, token)).body).toMatchObject({
        type: 'outgoing',
        fees_paid: 2_000,
        metadata: { destination: node.remoteKey, tlv_records: records },
      })
    })

    test('fails and moves nothing when there is no route to the node', async () => {
      const before = await available(payer)
      const { status, body } = await send({ amount: 1_000, pubkey: makeScriptedNode().identity.publicKeyHex })
      expect([status, body.code]).toEqual([400, 'PAYMENT_FAILED'])
      expect(await available(payer)).toBe(before)
    })
  })

  describe('refuses bad input', () => {
    test.each([
      ['a key that is not a point on the curve', { pubkey: `02${'f'.repeat(64)}` }],
      ['a key of another length', { pubkey: `02${'ab'.repeat(31)}` }],
      ['a record type below 65536', { tlv_records: [{ type: 34_349, value: '00' }] }],
      ['a record with an odd number of hex digits', { tlv_records: [{ type: 696_969, value: '0' }] }],
      [
        'two records of one type',
        {
          tlv_records: [
            { type: 65_537, value: '' },
            { type: 65_537, value: '' },
          ],
        },
      ],
      ['2,000 records', { tlv_records: Array.from({ length: 2_000 }, (_, at) => ({ type: 65_536 + at, value: '' })) }],
      ['records over 1,200 bytes', { tlv_records: [{ type: 65_537, value: '00'.repeat(1_201) }] }],
      ['an amount over the limit of one payment', { amount: 10_000_000_001 }],
    ])('%s', async (_what, part) => {
      const before = node.sent.length
      const { status, body } = await send({ amount: 1_000, pubkey: node.remoteKey, ...part })
      expect([status, body.code]).toEqual([400, 'OTHER'])
      expect(node.sent).toHaveLength(before)
    })
  })
})
