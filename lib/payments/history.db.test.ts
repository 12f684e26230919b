import { beforeAll, expect, it } from 'vitest'
import { listInvoices, type InvoiceState } from '@/lib/invoices/queries'
import { readWallets } from '@/lib/ledger/accounts'
import { payInvoice } from '@/lib/payments/pay-invoice'
import type { Statement } from '@/lib/platform/db/statement'
import { describeOnBothEngines } from '@/test/databases/databases'
import { rowsRead } from '@/test/databases/rows-read'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { listTransactions } from './history'

const OPEN = 20_000
const PAID = 30

const TABLES = ['invoices', 'payments']

/** One statement inserts this many rows; a statement may take at most five seconds. */
const SLICE = 2_000
const MAKE_INVOICES: Statement = {
  name: 'test_make_invoices',
  text: `with made as (
           insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at, fixed_credit, rate_snapshot_id)
           select encode(sha256(sha256(int8send(n))), 'hex'), encode(sha256(int8send(n)), 'hex'), 'test ' || n, $1, $2, 1000, now() + $5::interval,
                  case when $4::text is not null then 1000 end, $4
           from generate_series($3::bigint, $3 + ${SLICE - 1}) n returning id, fixed_credit)
         insert into uma_pay_requests (invoice_id, protocol)
         select id, 'lnurl' from made where fixed_credit is not null`,
}

describeOnBothEngines(
  `With ${OPEN} open and ${OPEN} expired invoices, as many again that outside payers requested, and ${PAID} paid ones`,
  (db) => {
    let vasp: TestVasp
    let payee: string
    beforeAll(async () => {
      vasp = await makeTestVasp(db())
      payee = await newUser(vasp, { SAT: 0n })
      const payer = await newUser(vasp, { SAT: 1_000_000n })
      for (let index = 0; index < PAID; index++) {
        const { invoice } = await invoiceOf(vasp, payee, 'SAT', 1_000n)
        const wallets = await readWallets(db(), payer)
        await payInvoice(vasp.app, { username: payer, connectionId: null, wallets, invoice, amountMsats: undefined })
      }
      const { walletId } = await walletOf(db(), payee, 'SAT')
      const { snapshotId } = vasp.app.rates.current()
      for (const [first, expiry, isAskedFor] of [
        [1, '1 year', false],
        [OPEN + 1, '-1 hour', false],
        [2 * OPEN + 1, '1 year', true],
        [3 * OPEN + 1, '-1 hour', true],
      ] as const)
        for (let from = first; from < first + OPEN; from += SLICE)
          await db().query(MAKE_INVOICES, [payee, walletId, from, isAskedFor ? snapshotId : null, expiry])
      await db().query({ name: 'test_analyze', text: 'analyze invoices' })
    })

    it.each([
      ['paid transactions', false, 0, 20],
      ['the second page of paid transactions', false, 20, 10],
      ['paid and open transactions', true, 0, 20],
    ])('a page of transactions reads few rows: %s', async (_, unpaid, offset, count) => {
      const page = await rowsRead(db(), TABLES, () => listTransactions(vasp.app, payee, { limit: 20, offset, unpaid }))
      expect(page.found).toBe(count)
      expect(page.read).toBeLessThanOrEqual(100)
    })

    it.each<[InvoiceState, number]>([
      ['paid', PAID],
      ['expired', 100],
    ])('a page of %s invoices reads few rows', async (state, count) => {
      const page = await rowsRead(db(), TABLES, () => listInvoices(vasp.app.db, payee, state))
      expect(page.found).toBe(count)
      expect(page.read).toBeLessThanOrEqual(100)
    })

    it('a page of open invoices reads few rows even when as many newer ones have expired', async () => {
      const page = await rowsRead(db(), TABLES, () => listInvoices(vasp.app.db, payee, 'open'))
      expect(page.found).toBe(100)
      expect(page.read).toBeLessThanOrEqual(100)
    })
  },
)
