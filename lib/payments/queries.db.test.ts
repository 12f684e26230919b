import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findInvoice, listInvoices } from '@/lib/invoices/queries'
import { rateOf } from '@/lib/money/currencies'
import { listWallets, readStatement } from '@/lib/wallets/queries'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { impatient, untilUnknown } from '@/test/vasp/leaving'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { findPayment, listOpenPayments, listPaymentsOfConnection, paymentState, readSpending } from './queries'

const hex = (text: string): string => Buffer.from(text).toString('hex')

describeOnBothEngines('The queries of the payment pages', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: string
  let token: string

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 0n
    payer = await newUser(vasp, { SAT: 2_000_000n })
    token = await vasp.connectionToken(payer, ['pay_invoice', 'pay_keysend'])
  })

  const pay = async (amountMsats: bigint): Promise<string> => {
    const { invoice, paymentHash } = node.invoice(amountMsats)
    const isPending = node.script === 'in flight'
    await (isPending ? impatient(vasp) : vasp).post('/payments/bolt11', token, { invoice })
    if (isPending) await untilUnknown(db(), paymentHash)
    return paymentHash
  }
  const lines = async () =>
    (await readStatement(vasp.app.db, payer, 'SAT'))?.lines.map(({ text, amount, about }) => ({
      text,
      amount,
      hash: about?.paymentHash,
    }))

  describe('a payment to another node', () => {
    test('shows the app, the destination node, and the amounts held, debited and released', async () => {
      node.feeMsats = 3_000n
      const hash = await pay(1_000_000n)
      const card = await findPayment(vasp.app.db, payer, hash)
      expect(card).toMatchObject({
        state: 'succeeded',
        peer: node.remoteKey,
        debit: 1_003_000n,
        feeMsats: 3_000n,
        feeLimitMsats: 10_000n,
        metadata: null,
        failure: null,
        expired: false,
        connection: { name: expect.stringContaining('Connection of') as unknown },
      })
      expect(card?.moves.map(({ kind, available, held }) => [kind, available, held])).toEqual([
        ['hold', -1_010_000n, 1_010_000n],
        ['settle', 7_000n, -1_010_000n],
      ])
      expect(await listOpenPayments(vasp.app.db, payer)).toEqual([])
      expect(await lines()).toMatchObject([
        { text: 'Paid: a thing from afar', amount: -1_003_000n, hash },
        { text: 'Opening balance', hash: undefined },
      ])
    })

    test('is listed as pending until its node reports an outcome', async () => {
      node.script = 'in flight'
      const hash = await pay(1_000_000n)
      expect(await listOpenPayments(vasp.app.db, payer)).toMatchObject([
        { paymentHash: hash, state: 'pending', sent: true, peer: node.remoteKey, debit: 1_010_000n },
      ])
      expect(await paymentState(vasp.app.db, payer, hash)).toBe('sending')
      expect((await listWallets(vasp.app.db, payer, rateOf))[0]?.latest).toMatchObject([{ text: 'Opening balance' }])
      await node.end(hash, 'succeeded', 'tells')
      expect(await listOpenPayments(vasp.app.db, payer)).toEqual([])
      expect(await paymentState(vasp.app.db, payer, hash)).toBe('succeeded')
    })

    test('that failed shows the reason and that the whole hold was released', async () => {
      node.script = 'fails'
      const hash = await pay(1_000_000n)
      const card = await findPayment(vasp.app.db, payer, hash)
      expect(card).toMatchObject({ state: 'failed', preimage: null, settledAt: null })
      expect(card?.failure).toEqual(expect.any(String))
      expect(card?.moves.map(({ kind, available }) => [kind, available])).toEqual([
        ['hold', -1_010_000n],
        ['release', 1_010_000n],
      ])
      expect(await lines()).toMatchObject([{ text: 'Opening balance' }])
    })

    test('is visible to its payer only', async () => {
      node.script = 'in flight'
      const hash = await pay(1_000_000n)
      const stranger = await newUser(vasp, { SAT: 0n })
      expect(await findPayment(vasp.app.db, stranger, hash)).toBeNull()
      expect(await paymentState(vasp.app.db, stranger, hash)).toBeUndefined()
      expect(await listOpenPayments(vasp.app.db, stranger)).toEqual([])
      await node.end(hash, 'failed', 'tells')
    })
  })

  describe('an incoming payment', () => {
    test('for an invoice shows the paying node, or that a user of this VASP paid', async () => {
      const payee = await newUser(vasp, { SAT: 0n })
      const far = await invoiceOf(vasp, payee, 'SAT', 5_000n)
      await node.tell({ kind: 'received', paymentHash: far.paymentHash, amountMsats: 5_000n, account: node.remoteKey })
      const near = await invoiceOf(vasp, payee, 'SAT', 6_000n)
      await vasp.post('/payments/bolt11', token, { invoice: near.invoice })
      const open = await invoiceOf(vasp, payee, 'SAT', 7_000n)
      const from = async (hash: string) => (await findInvoice(vasp.app.db, payee, hash))?.paidFrom
      expect(await from(far.paymentHash)).toEqual({ node: node.remoteKey })
      expect(await from(near.paymentHash)).toBeNull()
      expect(await from(open.paymentHash)).toBeNull()
      const statement = await readStatement(vasp.app.db, payee, 'SAT')
      expect(statement?.lines.map(({ about }) => about)).toEqual([
        { what: 'invoice', paymentHash: near.paymentHash },
        { what: 'invoice', paymentHash: far.paymentHash },
      ])
    })

    test('and an open invoice are visible to the payee only', async () => {
      const payee = await newUser(vasp, { SAT: 0n })
      const { paymentHash } = await invoiceOf(vasp, payee, 'SAT', 5_000n)
      expect(await findInvoice(vasp.app.db, payee, paymentHash)).toMatchObject({ state: 'open' })
      expect(await findInvoice(vasp.app.db, payer, paymentHash)).toBeNull()
    })

    test('by keysend is listed among the paid invoices, without a BOLT-11 text and with its records', async () => {
      const payee = await newUser(vasp, { SAT: 0n })
      const records = [
        { type: 696_969, value: hex(payee) },
        { type: 34_349_334, value: hex('for the tea') },
      ]
      const { status } = await vasp.post('/payments/keysend', token, {
        pubkey: node.identity.publicKeyHex,
        amount: 9_000,
        tlv_records: records,
      })
      expect(status).toBe(200)
      const [card, ...more] = await listInvoices(vasp.app.db, payee, 'paid')
      expect(more).toEqual([])
      expect(card).toMatchObject({
        invoice: null,
        expiresAt: null,
        state: 'paid',
        credited: 9_000n,
        description: 'for the tea',
        metadata: { destination: node.identity.publicKeyHex, tlv_records: records },
        paidFrom: null,
      })
      const sent = await findPayment(vasp.app.db, payer, card?.paymentHash ?? '')
      expect(sent).toMatchObject({
        state: 'succeeded',
        invoice: null,
        peer: null,
        metadata: { tlv_records: records },
        moves: [{ kind: 'payment', available: -9_000n, held: 0n }],
      })
    })
  })

  describe('the payments of a connection', () => {
    test('add up by day, without those that failed or are in progress', async () => {
      const first = await pay(1_000_000n)
      const second = await pay(200_000n)
      node.script = 'fails'
      const failed = await pay(5_000n)
      node.script = 'in flight'
      const open = await pay(7_000n)
      const id = idOf(token)
      const list = await listPaymentsOfConnection(vasp.app.db, payer, id, 3)
      expect(list.map(({ paymentHash, state }) => [paymentHash, state])).toEqual([
        [open, 'pending'],
        [failed, 'failed'],
        [second, 'succeeded'],
      ])
      const day = (await findPayment(vasp.app.db, payer, first))?.createdAt.toISOString().slice(0, 10)
      expect(await readSpending(vasp.app.db, payer, id, new Date(Date.now() - 3_600_000))).toEqual({
        days: [{ day, code: 'SAT', debit: 1_200_000n, payments: 2 }],
        isComplete: true,
      })
      expect(await readSpending(vasp.app.db, payer, id, new Date(Date.now() + 3_600_000))).toEqual({
        days: [],
        isComplete: true,
      })
      await node.end(open, 'succeeded', 'tells')
    })

    test('are not shown to another user', async () => {
      await pay(1_000_000n)
      const other = await newUser(vasp, { SAT: 1n })
      expect(await listPaymentsOfConnection(vasp.app.db, other, idOf(token), 10)).toEqual([])
      expect(await readSpending(vasp.app.db, other, idOf(token), new Date(0))).toEqual({ days: [], isComplete: true })
    })
  })
})
