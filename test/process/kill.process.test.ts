import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import { openHouseAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/ledger/rate-snapshot'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeInProcesses } from '@/test/databases/databases'
import { scriptPath } from '@/test/programs/script'
import { walletOf } from '@/test/vasp/money'
import { testPasswords } from '@/test/vasp/passwords'

const OPENING_CENTS = 124_050n
const OPENING_MSATS = 250_000_000n
const KILL_AFTER = [3, 7, 10, 13, 16]

describeInProcesses('kill -9 in the middle of twenty payments', (make) => {
  it('leaves balanced books with every answered payment in the ledger, five times', async () => {
    const { dataDir, databaseUrl } = await make()
    await killFiveTimes(databaseUrl ?? dataDir, () => openDatabase({ databaseUrl, dataDir, log: () => {} }))
  })
})

async function killFiveTimes(where: string, open: () => Promise<Database>): Promise<void> {
  const first = await open()
  await seedUsers(first, 'sandbox', testPasswords)
  await seedOpeningBalances(first, await openHouseAccounts(first))
  await openRates(first)
  await first.close()
  const answered = new Set<string>()
  for (const killAfter of KILL_AFTER) {
    for (const hash of await payUntilKilled(where, killAfter)) answered.add(hash)
    const db = await open()
    await expectBooksInOrder(db, answered)
    await db.close()
  }
  expect(answered.size).toBeGreaterThanOrEqual(KILL_AFTER.reduce((sum, count) => sum + count, 0))
}

/** The hashes answered with 200 and a matching preimage before the process was killed. */
async function payUntilKilled(where: string, killAfter: number): Promise<string[]> {
  const args = [scriptPath('test/programs/payments-process.ts'), where, String(killAfter)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let written = ''
  child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
  await once(child, 'close')
  expect(child.signalCode).toBe('SIGKILL')
  const lines = written.trim().split('\n')
  expect(lines).toHaveLength(killAfter)
  return lines.map((line) => {
    const [status, hash = '', preimage = ''] = line.split(' ')
    expect(status).toBe('200')
    expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(hash)
    return hash
  })
}

/**
 * N1 to N5 hold, every answered payment is settled, and both balances differ from the opening balances by exactly the settled
 * payments.
 */
async function expectBooksInOrder(db: Database, answered: ReadonlySet<string>): Promise<void> {
  expect(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))).toEqual([])
  const settled = await db.query<{ payment_hash: string; debit: bigint; amount_msats: bigint; entries: bigint }>({
    name: 'test_settled',
    text: `select p.payment_hash, p.debit, i.received_msats as amount_msats,
                  (select count(*) from journal_entries e where e.payment_id = p.id) as entries
           from payments p join invoices i on i.payment_hash = p.payment_hash
           where p.state = 'succeeded' and i.settled_at is not null`,
  })
  const hashes = new Set(settled.map((payment) => payment.payment_hash))
  expect([...answered].filter((hash) => !hashes.has(hash))).toEqual([])
  expect(settled.every(({ entries }) => entries === 1n)).toBe(true)
  const [invoices] = await db.query<{ open: bigint }>({
    name: 'test_open_invoices',
    text: `select count(*) as open from invoices where settled_at is null`,
  })
  // The kill came midway: some payments were not made, and none is half done.
  expect(invoices?.open).toBeGreaterThan(0n)
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
  const [paid, got] = [sum(settled.map(({ debit }) => debit)), sum(settled.map(({ amount_msats }) => amount_msats))]
  expect((await walletOf(db, 'alice', 'USD')).available).toBe(OPENING_CENTS - paid)
  expect((await walletOf(db, 'bob', 'SAT')).available).toBe(OPENING_MSATS + got)
}
