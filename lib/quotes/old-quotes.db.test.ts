import { beforeEach, expect, test } from 'vitest'
import { sqlState } from '@/lib/platform/db/sql-state'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { forgetQuotes } from './old-quotes'

describeOnBothEngines('Old quotes', (db) => {
  let vasp: TestVasp
  let user: string
  let walletId: bigint
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    user = await newUser(vasp, { SAT: 1_000n })
    walletId = (await walletOf(db(), user, 'SAT')).walletId
  })

  const run = (name: string, text: string, params: readonly unknown[] = []): Promise<Record<string, unknown>[]> =>
    db().query({ name: `test_${name}`, text }, params)
  const quoted = (comment: string, ended: string, { uuid = null as string | null, count = 1 } = {}): Promise<unknown> =>
    run(
      'quoted',
      `insert into quotes (payment_hash, invoice, user_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount,
                           debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats,
                           fee_limit_msats, rate_snapshot_id, comment, uma_invoice, uma_invoice_uuid, created_at, expires_at)
       select encode(sha256(($1 || $2 || n)::bytea), 'hex'), 'ln', $2, $3, '$bob@peer.example', 'lnurl', 'sending', 1,
              1000, 0, 0, '{}', 1, 1, 1000, 0, $4, $1, case when $6::uuid is not null then 'uma' end, $6, now() - interval '60 days',
              now() - $5::interval
       from generate_series(1, $7::int) n`,
      [comment, user, walletId, vasp.app.rates.current().snapshotId, ended, uuid, count],
    )
  const pay = (comment: string, quoteId: string, state = 'failed'): Promise<unknown> =>
    run(
      `pay_${quoteId.length}`,
      `insert into payments (payment_hash, invoice, user_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id, state)
       select payment_hash, invoice, user_id, wallet_id, ${quoteId}, 1000, 1000, $2, $3 from quotes where comment = $1 and user_id = $4`,
      [comment, vasp.app.rates.current().snapshotId, state, user],
    )
  const kept = async (): Promise<unknown[]> =>
    (await run('kept_quotes', 'select comment from quotes where user_id = $1 order by id', [user])).map(
      ({ comment }) => comment,
    )
  async function fillWithAll(): Promise<void> {
    await quoted('unused and old', '31 days')
    await quoted('younger', '29 days')
    await quoted('paid', '31 days')
    await pay('paid', 'id')
    await quoted('paid by its invoice', '31 days')
    await pay('paid by its invoice', 'null')
    await quoted('of a UMA invoice', '31 days', { uuid: '00000000-0000-4000-8000-000000000001' })
    await quoted('of an idempotency key', '31 days')
    const token = await vasp.connectionToken(user)
    await run(
      'key',
      `insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
       select c.id, 'key', 'fingerprint', q.payment_hash from connections c join quotes q on q.user_id = c.user_id
       where c.user_id = $1 and q.comment = 'of an idempotency key'`,
      [user],
    )
    expect(token).not.toBe('')
  }
  const STAYING = ['younger', 'paid', 'paid by its invoice', 'of a UMA invoice', 'of an idempotency key']

  test('are deleted thirty days after they expired, and those that somebody used stay', async () => {
    await fillWithAll()
    const { gone, until } = await forgetQuotes(db())
    expect(gone).toBe(1)
    expect(await kept()).toEqual(STAYING)
    await quoted('ended since', '30 days 1 minute')
    expect(await forgetQuotes(db(), until)).toMatchObject({ gone: 1 })
  })

  test('are deleted however many there are', async () => {
    await quoted('many', '31 days', { count: 1_203 })
    expect(await forgetQuotes(db())).toMatchObject({ gone: 1_203 })
  })

  test.each(STAYING)('cannot be deleted, nor truncated: %s', async (comment) => {
    await fillWithAll()
    for (const text of [
      `delete from quotes where comment = '${comment}' and user_id = '${user}'`,
      'truncate quotes cascade',
    ]) {
      const refused = await db()
        .query({ name: '', text })
        .catch((error: unknown) => error)
      expect(sqlState(refused), text).toBe('LG005')
    }
    expect(await kept()).toContain(comment)
  })
})
