import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { application } from '@/lib/backend/application'
import { runChecks } from '@/lib/sandbox/gateway-kit/doctor'
import { migratedDataDir } from '@/test/databases/migrated'
import { fakeLndNode } from '@/test/lnd-like/choice'
import type { FakeLnd } from '@/test/lnd-like/lnd'
import { newKeyPair } from '@/test/vasp/keys'
import { vaspOf, type TestVasp } from '@/test/vasp/vasp'

const GUIDE = 'docs/change.md'
const CHOICE = 'lib/lightning/choose-node.ts'

describe('The node of docs/change.md, opened by the start of the process', () => {
  let lnd: FakeLnd
  let dataDir: string
  let vasp: TestVasp
  let token: string

  beforeAll(async () => {
    dataDir = await migratedDataDir()
    const pair = newKeyPair()
    const env = {
      DATA_DIR: dataDir,
      NEXTAUTH_SECRET: 'a secret of thirty-two characters',
      JWT_PRIVATE_KEY: pair.privatePem,
      JWT_PUBLIC_KEY: pair.publicPem,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
      PAYMENT_WAIT_SECONDS: '20',
      // Settings of the simulated node only.
      LIGHTNING_NODE_KEY: undefined,
      LIGHTNING_PEERS: undefined,
      DATABASE_URL: undefined,
    }
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    vi.doMock('./choose-node', () => ({ chooseNode: () => fakeLndNode((world) => (lnd = world.lnd)) }))
    await (await import('@/lib/start')).start()
    vasp = vaspOf(application(), pair, { logged: [], recorded: [] })
    token = await vasp.connectionToken('alice', ['pay_invoice', 'make_invoice', 'lookup_invoice'])
  })
  afterAll(async () => {
    const { paymentWorker, node, db } = vasp.app
    await paymentWorker.stop()
    await node.close()
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
    vi.unstubAllEnvs()
  })

  const soundBooks = async (): Promise<void> => {
    for (const scope of ['recent', 'everything'] as const)
      expect(await vasp.app.audit.run(scope)).toMatchObject({ breaches: [], review: [] })
    expect(vasp.app.audit.state()).toBe('ok')
  }

  test('pays with a network fee and settles, and the audit lets the next payment leave', async () => {
    lnd.feeMsats = 2_000n
    for (const amountMsats of [21_000n, 34_000n]) {
      const { invoice, paymentHash } = lnd.invoice(amountMsats)
      const paid = await vasp.post('/payments/bolt11', token, { invoice })
      expect(paid).toMatchObject({ status: 200, body: { preimage: expect.stringMatching(/^[0-9a-f]{64}$/) as string } })
      expect(lnd.arrivals(paymentHash)).toBe(1)
      await soundBooks()
    }
  })

  test('holds and sends nothing through an account that the ledger does not have', async () => {
    const { app, pair, logged, recorded } = vasp
    const without = vaspOf({ ...app, nodeAccounts: new Map() }, pair, { logged, recorded })
    const { invoice, paymentHash } = lnd.invoice(13_000n)
    expect(await without.post('/payments/bolt11', token, { invoice })).toMatchObject({ status: 504 })
    expect(lnd.arrivals(paymentHash)).toBe(0)
    expect(await vasp.get(`/invoices/${paymentHash}`, token)).toMatchObject({ status: 404 })
  })

  test('returns the hold of a payment that the node refuses', async () => {
    lnd.fate = 'is refused'
    const { invoice, paymentHash } = lnd.invoice(55_000n)
    const refused = await vasp.post('/payments/bolt11', token, { invoice })
    lnd.fate = 'arrives'
    expect(refused.body).toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(lnd.arrivals(paymentHash)).toBe(0)
    await soundBooks()
  })

  test('settles a payment whose answer was lost', async () => {
    lnd.lostAnswers = 1
    const { invoice, paymentHash } = lnd.invoice(89_000n)
    expect(await vasp.post('/payments/bolt11', token, { invoice })).toMatchObject({ status: 200 })
    expect(lnd.arrivals(paymentHash)).toBe(1)
    await soundBooks()
  })

  test('credits a payment from outside', async () => {
    const { body } = await vasp.post('/invoice', token, { amount: 1_000 })
    const paymentHash = String(body.payment_hash)
    expect(lnd.payFromOutside(paymentHash, 1_000_000n)).toBe(true)
    await expect
      .poll(async () => (await vasp.get(`/invoices/${paymentHash}`, token)).body.settled_at)
      .toEqual(expect.any(Number))
    await soundBooks()
  })

  test('is ready, and no check asks about peers that it does not have', async () => {
    const checks = await runChecks(vasp.app)
    expect(checks.filter(({ name }) => name.startsWith('Lightning'))).toMatchObject([
      { name: 'Lightning node', result: 'pass' },
    ])
  })

  test('is chosen by the one line that docs/change.md changes', () => {
    const [, section = ''] = readFileSync(GUIDE, 'utf8').split('\n## Add a Lightning node\n')
    const [, diff = ''] = section.split('```')
    const removed = diff.split('\n').filter((line) => line.startsWith('-'))
    expect(removed).toHaveLength(1)
    const choice = readFileSync(CHOICE, 'utf8').split('\n')
    expect(choice.filter((line) => `-${line}` === removed[0])).toHaveLength(1)
    expect(diff).toContain(CHOICE)
  })
})
