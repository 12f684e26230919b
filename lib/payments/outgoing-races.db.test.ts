import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { invoiceIn } from '@/test/lightning/outgoing'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound, newPayer, statesOf, tally, type Payer } from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const AMOUNT = 1_000_000n
const MAX_OPEN = 20

describeOnPostgres('Handlers of concurrent payments to other nodes', (server) => {
  const remoteSecret = newNodeSecret()
  const node: ScriptedNode = makeScriptedNode(newNodeSecret(), remoteSecret)
  let vasp: TestVasp
  let db: Database

  beforeAll(async () => {
    db = await openPatiently(await server.createMigratedDatabase())
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '60' }, undefined, node)
    vasp.app.paymentWorker.keepRunning()
    await warmUp()
  })
  beforeEach(() => {
    node.script = 'arrives'
    node.feeMsats = 0n
    node.sent.length = 0
  })
  afterEach(() => expectSound(db))
  afterAll(async () => {
    await vasp.app.paymentWorker.stop()
    await db.close()
  })

  /** Opens all database connections first, so that their start does not affect the race. */
  const warmUp = async (): Promise<void> => {
    const payer = await newPayer(vasp, { SAT: 100_000_000n })
    const answers = await Promise.all(Array.from({ length: 20 }, () => payer.pay(node.invoice(AMOUNT).invoice)))
    expect(tally(answers)).toEqual({ 200: 20 })
  }
  const sentCount = (count: number): Promise<void> => expect.poll(() => node.sent.length).toBe(count)
  const wrapped = (paymentHash: string, amountMsats: bigint): string =>
    encodeInvoice({
      network: 'regtest',
      nodeSecretHex: remoteSecret,
      paymentHash,
      paymentSecretHex: randomBytes(32).toString('hex'),
      amountMsats,
      description: undefined,
      descriptionHash: undefined,
      createdAtSeconds: Math.floor(Date.now() / 1000),
      expirySeconds: 3_600,
    })

  test('make as many of sixty payments of 110 from 1,200 as the holds allow, and leave nothing held', async () => {
    const payer = await newPayer(vasp, { SAT: 1_200_000n })
    // Each holds 110 satoshis and a fee limit of ten, so at most ten payments fit.
    const invoices = Array.from({ length: 60 }, () => node.invoice(110_000n).invoice)
    const answers = await Promise.all(invoices.map((invoice) => payer.pay(invoice)))
    const paid = BigInt(tally(answers)[200] ?? 0)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.every(({ body }) => body.code === 'INSUFFICIENT_BALANCE' || body.code === 'RATE_LIMITED')).toBe(true)
    expect(await payer.balances()).toEqual([1_200_000n - paid * 110_000n, 0n])
    expect(paid).toBeLessThanOrEqual(10n)
    expect(paid).toBeGreaterThan(0n)
    expect(node.sent).toHaveLength(Number(paid))
  })

  test('let one of two users pay an invoice; the other is refused and gets no preimage', async () => {
    const payers = [await newPayer(vasp, { SAT: 20_000_000n }), await newPayer(vasp, { USD: 20_000n })]
    const invoices = Array.from({ length: 10 }, () => node.invoice(AMOUNT).invoice)
    for (const invoice of invoices) {
      const pair = await Promise.all(payers.map((payer) => payer.pay(invoice)))
      expect(tally(pair)).toEqual({ 200: 1, 400: 1 })
      const refused = pair.find(({ status }) => status === 400)
      expect(refused?.body).toMatchObject({ code: 'OTHER' })
      expect(JSON.stringify(refused?.body)).not.toMatch(/[0-9a-f]{64}/)
    }
    expect(node.sent).toHaveLength(10)
  })

  test('let another user pay an invoice whose first payment failed', async () => {
    const [first, second] = [await newPayer(vasp, { SAT: 2_000_000n }), await newPayer(vasp, { SAT: 2_000_000n })]
    node.script = 'fails'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expect((await first.pay(invoice)).status).toBe(400)
    node.script = 'arrives'
    expect((await second.pay(invoice)).status).toBe(200)
    expect(await statesOf(db, paymentHash)).toEqual(['failed', 'succeeded'])
    expect(await first.balances()).toEqual([2_000_000n, 0n])
  })

  test('hold and send nothing for a peer’s invoice with the hash of an invoice of this VASP, paid or not', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: 200_000_000n }), await newPayer(vasp, { SAT: 0n })]
    const { invoice, paymentHash } = await invoiceOf(vasp, payee.username, 'SAT', 50_000_000n)
    const fakes = [wrapped(paymentHash, 1_000n), wrapped(paymentHash, 50_000_000n)]
    for (const fake of fakes) expect(await payer.pay(fake)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    const answers = await Promise.all([...fakes, invoice, ...fakes].map((each) => payer.pay(each)))
    expect(tally(answers)).toEqual({ 200: 1, 400: 4 })
    for (const fake of fakes) expect((await payer.pay(fake)).status).toBe(400)
    expect(node.sent).toEqual([])
    expect(await payee.balances()).toEqual([50_000_000n, 0n])
    expect(await payer.balances()).toEqual([150_000_000n, 0n])
  })

  test('pay one of two peer invoices with the same hash, and release no preimage for the other', async () => {
    const payer = await newPayer(vasp, { SAT: 200_000_000n })
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const others = [wrapped(paymentHash, AMOUNT), wrapped(paymentHash, 1_000n)]
    expect((await payer.pay(invoice)).status).toBe(200)
    for (const other of others) {
      const answer = await payer.pay(other)
      expect(answer).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect(JSON.stringify(answer.body)).not.toMatch(/[0-9a-f]{64}/)
    }
    expect(node.sent).toHaveLength(1)
  })

  test('keep the balance right for a user who makes twenty payments and is paid meanwhile, and do not delay others', async () => {
    const hot = await newPayer(vasp, { SAT: 100_000_000n })
    const others = await Promise.all(Array.from({ length: 10 }, () => newPayer(vasp, { SAT: 10_000_000n })))
    const issued = await Promise.all(others.map(() => invoiceOf(vasp, hot.username, 'SAT', 500_000n)))
    node.feeMsats = 1_000n
    const answers = await Promise.all([
      ...Array.from({ length: MAX_OPEN }, () => hot.pay(node.invoice(AMOUNT).invoice)),
      ...others.map((other, index) => other.pay(issued[index]?.invoice ?? '')),
      ...others.map((other) => other.pay(node.invoice(AMOUNT).invoice)),
    ])
    expect(tally(answers)).toEqual({ 200: 40 })
    expect(await hot.balances()).toEqual([100_000_000n - 20n * 1_001_000n + 10n * 500_000n, 0n])
    for (const other of others) expect(await other.balances()).toEqual([10_000_000n - 500_000n - 1_001_000n, 0n])
  })

  test('refuse further payments by a suspended user, and settle the pending ones', async () => {
    node.script = 'hangs'
    const payer = await newPayer(vasp, { SAT: 4_000_000n })
    const [one, two] = [node.invoice(AMOUNT), node.invoice(AMOUNT)]
    const open = [payer.pay(one.invoice), payer.pay(two.invoice)]
    await sentCount(2)
    await db.query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = $1` }, [
      payer.username,
    ])
    expect((await payer.pay(node.invoice(AMOUNT).invoice)).status).toBe(401)
    await node.end(one.paymentHash, 'succeeded')
    await node.end(two.paymentHash, 'failed')
    await Promise.all(open)
    expect(await statesOf(db, one.paymentHash)).toEqual(['succeeded'])
    expect(await statesOf(db, two.paymentHash)).toEqual(['failed'])
    expect(await payer.balances()).toEqual([3_000_000n, 0n])
  })

  test('answer 429 beyond twenty pending payments of one user; copies, internal payments and other users do not count', async () => {
    node.script = 'hangs'
    const [payer, other] = [await newPayer(vasp, { SAT: 500_000_000n }), await newPayer(vasp, { SAT: 10_000_000n })]
    const issued = await invoiceOf(vasp, other.username, 'SAT', AMOUNT)
    const invoices = Array.from({ length: 40 }, () => node.invoice(AMOUNT))
    const answers = invoices.map(({ invoice }) => payer.pay(invoice))
    await sentCount(MAX_OPEN)
    const refused = await Promise.race(answers)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await payer.balances())[1]).toBe(20n * 1_010_000n)
    const joining: ReturnType<Payer['pay']>[] = node.sent.map((sent) => payer.pay(invoiceIn(sent)))
    expect((await payer.pay(issued.invoice)).status).toBe(200)
    const others = other.pay(node.invoice(AMOUNT).invoice)
    await sentCount(MAX_OPEN + 1)
    for (const { paymentHash } of node.sent) await node.end(paymentHash, 'succeeded')
    expect(tally(await Promise.all(answers))).toEqual({ 200: 20, 429: 20 })
    expect(tally(await Promise.all(joining))).toEqual({ 200: 20 })
    expect((await others).status).toBe(200)
    node.script = 'arrives'
    expect((await payer.pay(node.invoice(AMOUNT).invoice)).status).toBe(200)
  })
})
