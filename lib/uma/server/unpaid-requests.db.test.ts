import { beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { forgetUnpaid } from './unpaid-requests'

const INVOICE_COLUMNS = 'payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at'

describeOnBothEngines('Unpaid pay requests', (db) => {
  let vasp: TestVasp
  let user: string
  let walletId: bigint
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    user = await newUser(vasp, { SAT: 1_000n })
    walletId = (await walletOf(db(), user, 'SAT')).walletId
  })

  const ask = (text: string, protocol: string, ended: string, count = 1): Promise<unknown> =>
    db().query(
      {
        name: `test_asked_${count}`,
        text: `with made as (
                 insert into invoices (${INVOICE_COLUMNS}, fixed_credit, rate_snapshot_id)
                 select encode(sha256(secret), 'hex'), encode(secret, 'hex'), $1, $2, $3, 1000, now() - $4::interval, 1000, $5
                 from generate_series(1, ${count}) n, lateral (select sha256((n || $1 || $2)::bytea) as secret) s returning id)
               insert into uma_pay_requests (invoice_id, protocol) select id, $6 from made`,
      },
      [text, user, walletId, ended, vasp.app.rates.current().snapshotId, protocol],
    )
  const made = (text: string, ended: string): Promise<unknown> =>
    db().query(
      {
        name: 'test_made_oneself',
        text: `insert into invoices (${INVOICE_COLUMNS})
               select encode(sha256(secret), 'hex'), encode(secret, 'hex'), $1, $2, $3, 1000, now() - $4::interval
               from (select sha256(($1 || $2)::bytea) as secret) s`,
      },
      [text, user, walletId, ended],
    )
  const tried = (text: string): Promise<unknown> =>
    db().query(
      {
        name: 'test_tried_to_pay',
        text: `insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
               select payment_hash, invoice, user_id, wallet_id, 1000, 1000, $3, 'failed' from invoices where invoice = $1 and user_id = $2`,
      },
      [text, user, vasp.app.rates.current().snapshotId],
    )
  const kept = async (): Promise<string[]> => {
    const text = 'select invoice from invoices where user_id = $1 order by id'
    return (await db().query<{ invoice: string }>({ name: 'test_kept_invoices', text }, [user])).map(
      ({ invoice }) => invoice,
    )
  }
  const fillWithAll = async (): Promise<void> => {
    await ask('unsigned and old', 'lnurl', '26 hours')
    await ask('unsigned and younger', 'lnurl', '23 hours')
    await ask('unsigned and tried', 'lnurl', '26 hours')
    await tried('unsigned and tried')
    await ask('signed', 'uma-1', '26 hours')
    await made('one’s own', '26 hours')
  }
  const STAYING = ['unsigned and younger', 'unsigned and tried', 'signed', 'one’s own']

  test('an unsigned request without a payment attempt is deleted a day after it expires, and other requests are kept', async () => {
    await fillWithAll()
    const { gone, until } = await forgetUnpaid(db())
    expect(gone).toBe(1)
    expect(await kept()).toEqual(STAYING)
    const text = `select count(*)::int as lost from uma_pay_requests r where not exists (select from invoices where id = r.invoice_id)`
    expect(await db().query({ name: 'test_lost_requests', text })).toEqual([{ lost: 0 }])
    // Kept requests are not read again; requests that expired later are.
    await ask('unsigned and ended since', 'lnurl', '25 hours 10 minutes')
    expect(await forgetUnpaid(db(), until)).toMatchObject({ gone: 1 })
  })

  test('expired requests are deleted, however many there are', async () => {
    await ask('many', 'lnurl', '26 hours', 5_001)
    expect(await forgetUnpaid(db())).toMatchObject({ gone: 5_001 })
    expect(await kept()).toEqual([])
  })

  test.each(STAYING)('the database refuses to delete: %s', async (invoice) => {
    await fillWithAll()
    for (const text of [
      'delete from invoices where invoice = $1 and user_id = $2',
      `with gone as (delete from invoices where invoice = $1 and user_id = $2 returning id)
       delete from uma_pay_requests where invoice_id in (select id from gone)`,
    ])
      await expect(db().query({ name: `test_delete ${text.slice(0, 8)}`, text }, [invoice, user])).rejects.toThrow(
        'only an unpaid invoice',
      )
    expect(await kept()).toContain(invoice)
  })

  test('the database refuses to delete an invoice without its request, or all invoices at once', async () => {
    await fillWithAll()
    const alone = `delete from invoices where invoice = 'unsigned and old'`
    await expect(db().query({ name: 'test_delete_alone', text: alone })).rejects.toThrow('foreign key')
    const all = { name: 'test_truncate_invoices', text: 'truncate invoices cascade' }
    await expect(db().query(all)).rejects.toThrow('append-only')
  })
})
