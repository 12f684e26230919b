import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound, houseBalance, newPayer, type Payer } from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, onDatabase, type TestVasp } from '@/test/vasp/vasp'
import { buildFixedRateInvoice } from '../invoices/fixed-rate'
import { readWallets } from '../ledger/accounts'
import { saveRequestedInvoice } from '../uma/pay-requests'
import { makeCreditPlanner } from './receive'

const AMOUNT = 1_000_000n

describeOnBothEngines('A payment that the node received', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payee: Payer

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(async () => {
    vasp.logged.length = 0
    payee = await newPayer(vasp, { SAT: 0n })
  })

  const received = (paymentHash: string, amountMsats: bigint, peer: string | undefined = node.remoteKey) =>
    node.tell({ kind: 'received', paymentHash, amountMsats, account: peer })
  const newInvoice = (amountMsats: bigint | undefined = AMOUNT) => invoiceOf(vasp, payee.username, 'SAT', amountMsats)
  const lookUp = async (paymentHash: string) => (await vasp.get(`/invoices/${paymentHash}`, payee.token)).body
  const alarms = (): string[] => vasp.logged.filter((line) => line.includes('no wallet can be credited'))

  test.each([
    ['from a peer', 'peer'],
    ['from an unnamed node', undefined],
  ])('%s is credited once, however often the node reports it, concurrently or later', async (_, who) => {
    const peer = who === undefined ? undefined : node.remoteKey
    const { paymentHash } = await newInvoice()
    const deliver = (): Promise<void> =>
      node.tell({ kind: 'received', paymentHash, amountMsats: AMOUNT, account: peer })
    await Promise.all(Array.from({ length: 20 }, deliver))
    await deliver()
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    expect(await lookUp(paymentHash)).toMatchObject({ type: 'incoming', amount: Number(AMOUNT) })
    expect((await lookUp(paymentHash)).settled_at).toEqual(expect.any(Number))
    expect(alarms()).toEqual([])
    await expectSound(db())
  })

  test('is credited to its own invoice when the node reports two payments in reverse order', async () => {
    const [first, second] = [await newInvoice(1_000n), await newInvoice(2_000n)]
    await received(second.paymentHash, 2_000n)
    await received(first.paymentHash, 1_000n)
    await received(second.paymentHash, 2_000n)
    expect(await payee.balances()).toEqual([3_000n, 0n])
    await expectSound(db())
  })

  test('for an invoice that has since expired is credited, because the money arrived', async () => {
    const { paymentHash } = await newInvoice()
    const text = `update invoices set expires_at = now() - interval '1 hour' where payment_hash = $1`
    await db().query({ name: 'test_expire', text }, [paymentHash])
    await received(paymentHash, AMOUNT)
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db())
  })

  test('of more than the invoice amount is credited in full, and the invoice shows the full amount', async () => {
    const { paymentHash } = await newInvoice()
    await received(paymentHash, AMOUNT + 777_000n)
    expect(await payee.balances()).toEqual([AMOUNT + 777_000n, 0n])
    expect(await lookUp(paymentHash)).toMatchObject({ amount: Number(AMOUNT + 777_000n) })
    await expectSound(db())
  })

  test('of less than the invoice amount goes to suspense for an operator, and the invoice stays open', async () => {
    const { paymentHash } = await newInvoice()
    const before = await houseBalance(db(), 'suspense')
    await received(paymentHash, AMOUNT - 1n)
    await received(paymentHash, AMOUNT - 1n)
    expect(await payee.balances()).toEqual([0n, 0n])
    expect((await lookUp(paymentHash)).settled_at ?? null).toBeNull()
    expect((await houseBalance(db(), 'suspense')) - before).toBe(AMOUNT - 1n)
    expect(alarms()).toHaveLength(1)
    await expectSound(db())
  })

  test('of less than the amount of a fixed-rate invoice goes to suspense for an operator too', async () => {
    const european = await newPayer(vasp, { EUR: 0n })
    const [wallet] = await readWallets(db(), european.username)
    if (wallet === undefined) throw new Error('the user has no wallet')
    const made = await buildFixedRateInvoice(vasp.app, {
      wallet,
      rates: vasp.app.rates.current(),
      lock: { side: 'receiving', units: 100n },
      expirySeconds: 600,
    })
    const { username } = european
    const request = { protocol: 'lnurl', receiverAddress: `$${username}@localhost:3000` } as const
    await saveRequestedInvoice(db(), { username, walletId: wallet.walletId, made, request })
    const { paymentHash, amountMsats } = made
    const before = await houseBalance(db(), 'suspense')
    const incoming = { paymentHash, amountMsats: amountMsats - 1n, account: node.remoteKey }
    expect(await makeCreditPlanner(vasp.app, node.identity.publicKeyHex).planCredit(incoming)).toEqual({
      failure: 'amount',
    })
    await received(paymentHash, amountMsats - 1n)
    expect((await houseBalance(db(), 'suspense')) - before).toBe(amountMsats - 1n)
    expect(await european.balances()).toEqual([0n, 0n])
    expect(alarms()).toHaveLength(1)
    await expectSound(db())
  })

  test('without a payee at this VASP goes to suspense once, and an error is logged', async () => {
    const before = await houseBalance(db(), 'suspense')
    const unknown = randomBytes(32).toString('hex')
    await Promise.all([1, 2, 3].map(() => received(unknown, 5_000n)))
    await received(unknown, 5_000n)
    expect((await houseBalance(db(), 'suspense')) - before).toBe(5_000n)
    expect(alarms()).toHaveLength(1)
    await expectSound(db())
  })

  test('for an invoice that is paid internally at the same moment: the invoice is credited once, and the later payment is refused or goes to suspense', async () => {
    for (let round = 0; round < 10; round++) {
      const payer = await newPayer(vasp, { SAT: AMOUNT })
      const before = await houseBalance(db(), 'suspense')
      const had = (await payee.balances())[0]
      const { invoice, paymentHash } = await newInvoice()
      const events = [1, 2, 3].map(() => received(paymentHash, AMOUNT))
      const [answer] = await Promise.all([payer.pay(invoice), ...events])
      expect((await payee.balances())[0] - had).toBe(AMOUNT)
      const inside = answer.status === 200
      if (!inside) expect(answer).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect(await payer.balances()).toEqual([inside ? 0n : AMOUNT, 0n])
      expect((await houseBalance(db(), 'suspense')) - before).toBe(inside ? AMOUNT : 0n)
    }
    await expectSound(db())
  })

  test('for an invoice that was paid internally goes to suspense for an operator', async () => {
    const payer = await newPayer(vasp, { SAT: AMOUNT })
    const { invoice, paymentHash } = await newInvoice()
    expect((await payer.pay(invoice)).status).toBe(200)
    await received(paymentHash, AMOUNT)
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    expect(alarms()).toHaveLength(1)
    // An invoice that was paid from outside cannot be paid by a user of this VASP.
    const other = await newInvoice()
    await received(other.paymentHash, AMOUNT)
    const late = await newPayer(vasp, { SAT: AMOUNT })
    expect(await late.pay(other.invoice)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect(await late.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db())
  })

  test('for another invoice with the hash of an invoice of this VASP credits no user', async () => {
    const { paymentHash } = await newInvoice(50_000_000n)
    const plan = await planOf(paymentHash, 1_000n, node.invoice(1_000n).invoice)
    expect(plan).toEqual({ failure: 'unknown' })
    await received(paymentHash, 1_000n)
    expect(await payee.balances()).toEqual([0n, 0n])
    await expectSound(db())
  })

  test('for a wallet in another currency is credited at the current rate, rounded in favour of the operator', async () => {
    const other = await newPayer(vasp, { USD: 0n })
    const { paymentHash } = await invoiceOf(vasp, other.username, 'USD', 1_095_000n)
    await received(paymentHash, 1_095_000n)
    expect(await other.balances()).toEqual([109n, 0n])
    await expectSound(db())
  })

  test('always has an owner, because an invoice is stored before this VASP returns it', async () => {
    const broken = onDatabase(vasp, {
      ...db(),
      query: (statement, params) =>
        statement.name === 'insert_invoice'
          ? Promise.reject(new Error('Connection terminated unexpectedly'))
          : db().query(statement, params),
    })
    const made = await broken.post('/invoice', payee.token, { amount: 1_000 })
    expect(made.status).toBe(503)
    expect(JSON.stringify(made.body)).not.toContain('lnbc')
    await broken.app.paymentWorker.stop()
  })

  test('of less than a satoshi by keysend credits no user, because it could fill any user’s history at no cost', async () => {
    const planned = (amountMsats: bigint): Promise<unknown> => {
      const preimage = randomBytes(32).toString('hex')
      const records = [{ type: 696_969, value: Buffer.from(payee.username).toString('hex') }]
      const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
      const incoming = { paymentHash, amountMsats, account: node.remoteKey, keysend: { preimage, records } }
      return makeCreditPlanner(vasp.app, node.identity.publicKeyHex).planCredit(incoming)
    }
    for (const amountMsats of [1n, 999n]) expect(await planned(amountMsats)).toEqual({ failure: 'amount' })
    expect(await planned(1_000n)).toMatchObject({ username: payee.username, credited: 1_000n })
  })

  async function planOf(paymentHash: string, amountMsats: bigint, invoice: string): Promise<unknown> {
    return makeCreditPlanner(vasp.app, node.identity.publicKeyHex).planCredit({
      paymentHash,
      amountMsats,
      invoice,
      account: node.remoteKey,
    })
  }
})
