import { beforeAll, expect, it, vi } from 'vitest'
import type { Statement } from '@/lib/db/database'
import { listInvoices, type InvoiceState } from '@/lib/invoices/queries'
import { payInvoice } from '@/lib/payments/pay-invoice'
import { readWallets } from '@/lib/ledger/accounts'
import { describeOnBothEngines } from '@/test/databases'
import { invoiceOf, newPerson, walletOf } from '@/test/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp'
import { listTransactions } from './queries'

const OPEN = 20_000
const PAID = 30

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

describeOnBothEngines(`With ${OPEN} open invoices, as many expired ones and ${PAID} paid ones`, (db) => {
  let vasp: TestVasp
  let payee: string
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    payee = await newPerson(vasp, { SAT: 0n })
    const payer = await newPerson(vasp, { SAT: 1_000_000n })
    for (let index = 0; index < PAID; index++) {
      const { invoice } = await invoiceOf(vasp, payee, 'SAT', 1_000n)
      const wallets = await readWallets(db(), payer)
      await payInvoice(vasp.deps, { username: payer, connectionId: null, wallets, invoice, amountMsats: undefined })
    }
    for (const [first, expiry] of [
      [1, `interval '1 year'`],
      [OPEN + 1, `interval '-1 hour'`],
    ] as const) {
      await db().query(
        {
          name: `test_open_${first}`,
          text: `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at)
                 select encode(sha256(sha256(int8send(n))), 'hex'), encode(sha256(int8send(n)), 'hex'), 'test ' || n, $1, $2, 1000, now() + ${expiry}
                 from generate_series(${first}::bigint, ${first + OPEN - 1}) n`,
        },
        [payee, (await walletOf(db(), payee, 'SAT')).walletId],
      )
    }
    await db().query({ name: 'test_analyze', text: 'analyze invoices' })
  }, 60_000)

  /** How many rows of invoices and payments the one statement of a query reads. */
  async function rowsRead(run: () => Promise<readonly unknown[]>): Promise<{ found: number; read: number }> {
    const asked = vi.spyOn(db(), 'query')
    const found = (await run()).length
    const [statement, params] = asked.mock.calls[0] as [Statement, readonly unknown[]]
    asked.mockRestore()
    const [row] = await db().query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      { name: `explain_${statement.name}`, text: `explain (analyze, format json) ${statement.text}` },
      params,
    )
    return { found, read: row === undefined ? Infinity : rowsOf(row['QUERY PLAN'][0].Plan) }
  }

  it.each([
    ['what was paid', false, 0, 20],
    ['the second page of it', false, 20, 10],
    ['what is open too', true, 0, 20],
  ])('a page of transactions reads few rows: %s', async (_, unpaid, offset, count) => {
    const page = await rowsRead(() => listTransactions(db(), payee, { limit: 20, offset, unpaid }))
    expect(page.found).toBe(count)
    expect(page.read).toBeLessThanOrEqual(100)
  })

  it.each<[InvoiceState, number]>([
    ['paid', PAID],
    ['expired', 100],
  ])('a page of %s invoices reads few rows', async (state, count) => {
    const page = await rowsRead(() => listInvoices(vasp.deps, payee, state))
    expect(page.found).toBe(count)
    expect(page.read).toBeLessThanOrEqual(100)
  })

  it('a page of open invoices fetches few rows though as many newer ones have expired', async () => {
    const page = await rowsRead(() => listInvoices(vasp.deps, payee, 'open'))
    expect(page.found).toBe(100)
    expect(page.read).toBeLessThanOrEqual(100)
  })
})

function rowsOf(node: PlanNode): number {
  const own = ['invoices', 'payments'].includes(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own)
}
