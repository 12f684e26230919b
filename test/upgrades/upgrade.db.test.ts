import { beforeAll, expect, test } from 'vitest'
import { makeSimulatedNode } from '@/lib/lightning/simulated-node/node'
import type { CurrencyCode } from '@/lib/money/currencies'
import { readMigrations } from '@/lib/platform/db/migration-files'
import { allActivity, type Movement } from '@/lib/wallets/activity'
import { readStatement } from '@/lib/wallets/queries'
import { describeRestored } from '../databases/databases'
import { newNodeSecret } from '../vasp/keys'
import { expectSound, statesOf } from '../vasp/leaving'
import { walletOf } from '../vasp/money'
import { makeTestVasp, type TestVasp } from '../vasp/vasp'
import { readBalances, readFixtures, withNodeKeys } from './fixture'
import { makeWest } from './west'

const fixtures = readFixtures()

test('release 0.1.0 has a fixture', () => {
  expect(fixtures.map(({ version }) => version)).toContain('0.1.0')
})

test.each(fixtures)('$version has applied the migrations that are in this repository, unedited', ({ sql }) => {
  const rows = sql.matchAll(/^INSERT INTO public\._prisma_migrations VALUES \('[^']+', '(\w+)', '[^']+', '(\w+)'/gm)
  const applied = [...rows].map(([, checksum, name]) => ({ name, checksum }))
  expect(applied.length).toBeGreaterThan(0)
  const inFolder = readMigrations().map(({ name, checksum }) => ({ name, checksum }))
  expect(applied).toEqual(inFolder.slice(0, applied.length))
})

for (const fixture of fixtures) {
  const secrets = { north: newNodeSecret(), west: newNodeSecret() }
  const { version, sql, expected } = withNodeKeys(fixture, secrets)
  describeRestored(`A database of release ${version}`, sql, (db) => {
    const { balances, openInvoice, sendingPayment } = expected
    const west = makeWest(secrets.west)
    let vasp: TestVasp

    beforeAll(async () => {
      const env = { LIGHTNING_NODE_KEY: secrets.north, LIGHTNING_PEERS: west.peers }
      vasp = await makeTestVasp(db(), env, undefined, (parts) => makeSimulatedNode({ ...parts, post: west.post }))
    })

    const satsOf = async (username: string): Promise<{ available: bigint; held: bigint }> => {
      const { available, held } = await walletOf(db(), username, 'SAT')
      return { available, held }
    }

    test('has every migration after the start', async () => {
      const text = 'select migration_name as name, checksum from _prisma_migrations order by 1'
      const applied = await db().query({ name: 'test_applied', text })
      expect(applied).toEqual(readMigrations().map(({ name, checksum }) => ({ name, checksum })))
    })

    test('passes the audit and keeps the balance of every user', async () => {
      const { breaches } = await vasp.app.audit.run('everything')
      expect(breaches).toEqual([])
      expect(await readBalances(db())).toEqual(balances)
      await expectSound(db())
    })

    test('lists the movements from before as the statements do', async () => {
      const wallets = await db().query<{ user: string; code: CurrencyCode }>({
        name: 'test_wallets',
        text: 'select user_id as user, currency_code as code from wallets order by id',
      })
      let count = 0
      for (const { user, code } of wallets) {
        const movements: Movement[] = []
        for await (const slice of allActivity(db(), user, { code })) movements.push(...slice)
        const { lines } = (await readStatement(db(), user, code)) ?? { lines: [] }
        const facts = (all: readonly Pick<Movement, 'id' | 'at' | 'kind' | 'amount' | 'text' | 'memo'>[]) =>
          all.map(({ id, at, kind, amount, text, memo }) => ({ id, at, kind, amount, text, memo }))
        expect(facts(movements.slice(0, lines.length))).toEqual(facts(lines))
        count += lines.length
      }
      expect(count).toBeGreaterThan(10)
    })

    test('takes the payment of an open invoice and moves exactly its amount', async () => {
      const { payer, payee, invoice, paymentHash, amountMsats } = openInvoice
      const before = { payer: await satsOf(payer), payee: await satsOf(payee) }
      const token = await vasp.connectionToken(payer, ['pay_invoice'])
      const { status, body } = await vasp.post('/payments/bolt11', token, { invoice })
      expect([status, body.code]).toEqual([200, undefined])
      expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
      const amount = BigInt(amountMsats)
      expect({ payer: await satsOf(payer), payee: await satsOf(payee) }).toEqual({
        payer: { ...before.payer, available: before.payer.available - amount },
        payee: { ...before.payee, available: before.payee.available + amount },
      })
      await expectSound(db())
    })

    test('settles the payment whose result was unknown, and keeps nothing on hold for it', async () => {
      const { payer, paymentHash, preimage, amountMsats } = sendingPayment
      expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
      const before = await satsOf(payer)
      west.answers.set(paymentHash, { state: 'received', preimage })
      await vasp.app.paymentWorker.reconcile()
      expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
      const total = before.available + before.held - BigInt(amountMsats)
      expect(await satsOf(payer)).toEqual({ available: total, held: 0n })
      await expectSound(db())
    })
  })
}
