import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases'
import { expectSound, houseBalance, newPayer, type Payer } from '@/test/leaving'
import { invoiceOf } from '@/test/money'
import { makeScriptedNode, type ScriptedNode } from '@/test/scripted-node'
import { makeTestVasp, onDatabase, type TestVasp } from '@/test/vasp'
import { buildFixedRateInvoice } from '../invoices/fixed-rate'
import { readWallets } from '../ledger/accounts'
import { saveRequestedInvoice } from '../uma/server/pay-requests'
import { makeCreditPlanner } from './receive'

const AMOUNT = 1_000_000n

describeOnBothEngines('What the node has received', (db) => {
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
  const bill = (amountMsats: bigint | undefined = AMOUNT) => invoiceOf(vasp, payee.username, 'SAT', amountMsats)
  const lookUp = async (paymentHash: string) => (await vasp.get(`/invoices/${paymentHash}`, payee.token)).body
  const alarms = (): string[] => vasp.logged.filter((line) => line.includes('no wallet can be credited'))

  test.each([
    ['from a peer', 'peer'],
    ['from a node that it does not name', undefined],
  ])('E13: %s is credited once, however often it is told, at once and later', async (_, who) => {
    const peer = who === undefined ? undefined : node.remoteKey
    const { paymentHash } = await bill()
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

  test('E13: of two invoices told in the reverse order each is credited with its own', async () => {
    const [first, second] = [await bill(1_000n), await bill(2_000n)]
    await received(second.paymentHash, 2_000n)
    await received(first.paymentHash, 1_000n)
    await received(second.paymentHash, 2_000n)
    expect(await payee.balances()).toEqual([3_000n, 0n])
    await expectSound(db())
  })

  test('E13: an invoice that expired meanwhile is credited all the same: the money is there', async () => {
    const { paymentHash } = await bill()
    const text = `update invoices set expires_at = now() - interval '1 hour' where payment_hash = $1`
    await db().query({ name: 'test_expire', text }, [paymentHash])
    await received(paymentHash, AMOUNT)
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db())
  })

  test('E13: more than was asked for is credited as much as came, and the invoice says so', async () => {
    const { paymentHash } = await bill()
    await received(paymentHash, AMOUNT + 777_000n)
    expect(await payee.balances()).toEqual([AMOUNT + 777_000n, 0n])
    expect(await lookUp(paymentHash)).toMatchObject({ amount: Number(AMOUNT + 777_000n) })
    await expectSound(db())
  })

  test('E13: a part of what was asked for settles nothing and waits for an operator, and the invoice stays open', async () => {
    const { paymentHash } = await bill()
    const before = await houseBalance(db(), 'suspense')
    await received(paymentHash, AMOUNT - 1n)
    await received(paymentHash, AMOUNT - 1n)
    expect(await payee.balances()).toEqual([0n, 0n])
    expect((await lookUp(paymentHash)).settled_at ?? null).toBeNull()
    expect((await houseBalance(db(), 'suspense')) - before).toBe(AMOUNT - 1n)
    expect(alarms()).toHaveLength(1)
    await expectSound(db())
  })

  test('E13: so does a part of what was agreed on for a credit in another currency', async () => {
    const european = await newPayer(vasp, { EUR: 0n })
    const [wallet] = await readWallets(db(), european.username)
    if (wallet === undefined) throw new Error('a user has a wallet')
    const made = await buildFixedRateInvoice(vasp.app, {
      wallet,
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

  test('E13: what nobody here is paid by waits for an operator, once, with an alarm', async () => {
    const before = await houseBalance(db(), 'suspense')
    const unknown = randomBytes(32).toString('hex')
    await Promise.all([1, 2, 3].map(() => received(unknown, 5_000n)))
    await received(unknown, 5_000n)
    expect((await houseBalance(db(), 'suspense')) - before).toBe(5_000n)
    expect(alarms()).toHaveLength(1)
    await expectSound(db())
  })

  test('E10, E11: an invoice paid here and from outside at the same instant is credited once; the other money waits', async () => {
    for (let round = 0; round < 10; round++) {
      const payer = await newPayer(vasp, { SAT: AMOUNT })
      const before = await houseBalance(db(), 'suspense')
      const had = (await payee.balances())[0]
      const { invoice, paymentHash } = await bill()
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

  test('E10: an invoice that was paid here is not paid again by money from outside: that waits for an operator', async () => {
    const payer = await newPayer(vasp, { SAT: AMOUNT })
    const { invoice, paymentHash } = await bill()
    expect((await payer.pay(invoice)).status).toBe(200)
    await received(paymentHash, AMOUNT)
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    expect(alarms()).toHaveLength(1)
    // And one that was paid from outside is paid by nobody here.
    const other = await bill()
    await received(other.paymentHash, AMOUNT)
    const late = await newPayer(vasp, { SAT: AMOUNT })
    expect(await late.pay(other.invoice)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect(await late.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db())
  })

  test('E12: money for another invoice with the hash of ours credits nobody', async () => {
    const { paymentHash } = await bill(50_000_000n)
    const plan = await planOf(paymentHash, 1_000n, node.invoice(1_000n).invoice)
    expect(plan).toEqual({ failure: 'unknown' })
    await received(paymentHash, 1_000n)
    expect(await payee.balances()).toEqual([0n, 0n])
    await expectSound(db())
  })

  test('E13: money for a wallet of another currency is credited at the rate of the day, rounded to the house', async () => {
    const other = await newPayer(vasp, { USD: 0n })
    const { paymentHash } = await invoiceOf(vasp, other.username, 'USD', 1_095_000n)
    await received(paymentHash, 1_095_000n)
    expect(await other.balances()).toEqual([109n, 0n])
    await expectSound(db())
  })

  test('F14: an invoice leaves this VASP only after it was written down, so whatever is paid has an owner', async () => {
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

  test('a keysend of less than a satoshi is nobody’s: it would cost next to nothing to fill somebody’s history', async () => {
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
