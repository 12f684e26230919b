import { beforeAll, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { rowsRead } from '@/test/databases/rows-read'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { recentReceivers } from './queries'

const QUOTES = 20_000
const SLICE = 2_000
/** Payments that are searched, each with its quote. */
const LOOKED_AT = 300
const START = '2026-11-01T00:00:00Z'

describeOnBothEngines(`For a user with ${QUOTES} quotes, half of them paid`, (db) => {
  let vasp: TestVasp
  let payer: string
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    payer = await newUser(vasp, { SAT: 0n })
    const { walletId } = await walletOf(db(), payer, 'SAT')
    const { snapshotId } = vasp.app.rates.current()
    // Without the ledger's triggers, because no money is needed. In slices, because a statement may take at most five
    // seconds.
    for (let from = 1; from <= QUOTES; from += SLICE)
      await db().query({
        name: `test_many_quotes_${from}`,
        text: `do $$ begin
        set local session_replication_role = replica;
        create temp table made on commit drop as
          select n, encode(sha256(int8send(n)), 'hex') as preimage, encode(sha256(sha256(int8send(n))), 'hex') as hash,
                 timestamptz '${START}' + n * interval '1 second' as at from generate_series(${from}::bigint, ${from + SLICE - 1}) n;
        insert into quotes (payment_hash, invoice, user_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount, debit,
                            fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats, fee_limit_msats,
                            rate_snapshot_id, expires_at)
          select hash, 'x', '${payer}', ${walletId}, '$p' || n % 20 || '@other.example', 'uma-1', 'sending', 1, 1000, 0, 0, '{}', 1, 1,
                 1000, 0, '${snapshotId}', at from made;
        insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state, preimage, created_at, settled_at)
          select hash, 'x', '${payer}', ${walletId}, 1000, 1000, '${snapshotId}', 'succeeded', preimage, at, at from made where n % 2 = 0;
      end $$`,
      })
    await db().query({ name: 'test_analyze_quotes', text: 'analyze quotes, payments' })
  })

  test('the most recently paid addresses are listed once each, the latest first', async () => {
    const addresses = (await recentReceivers(db(), payer)).map(({ address }) => address)
    expect(addresses).toEqual([0, 18, 16, 14, 12, 10, 8, 6].map((place) => `$p${place}@other.example`))
  })

  test('the list reads few quotes and payments', async () => {
    const page = await rowsRead(db(), ['quotes', 'payments'], () => recentReceivers(db(), payer))
    expect(page.found).toBe(8)
    expect(page.read).toBeLessThanOrEqual(2 * LOOKED_AT)
  })
})
