import { expect } from 'vitest'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import { recomputeBooks } from './books'
import { newUser, walletOf } from './money'
import { withParts, type Answer, type TestVasp } from './vasp'

/** A user with money and a connection, for tests of payments to other nodes. */
export interface Payer {
  readonly username: string
  readonly token: string
  pay(invoice: string, more?: Record<string, unknown>, on?: TestVasp): Promise<Answer>
  keysend(body: Record<string, unknown>, on?: TestVasp): Promise<Answer>
  /** Available and held, in ledger units. */
  balances(code?: CurrencyCode): Promise<[bigint, bigint]>
}

const PERMISSIONS = ['pay_invoice', 'pay_keysend', 'lookup_invoice', 'get_balance', 'list_transactions', 'make_invoice']

export async function newPayer(vasp: TestVasp, balances: Partial<Record<CurrencyCode, bigint>>): Promise<Payer> {
  const username = await newUser(vasp, balances)
  const token = await vasp.connectionToken(username, PERMISSIONS)
  const [first] = Object.keys(balances) as CurrencyCode[]
  return {
    username,
    token,
    pay: (invoice, more = {}, on = vasp) => on.post('/payments/bolt11', token, { invoice, ...more }),
    keysend: (body, on = vasp) => on.post('/payments/keysend', token, body),
    async balances(code = first ?? 'SAT') {
      const { available, held } = await walletOf(vasp.app.db, username, code)
      return [available, held]
    },
  }
}

/** The states of all payments of a hash, oldest first. */
export async function statesOf(db: Database, paymentHash: string): Promise<string[]> {
  const text = 'select state from payments where payment_hash = $1 order by id'
  const rows = await db.query<{ state: string }>({ name: 'test_states', text }, [paymentHash])
  return rows.map(({ state }) => state)
}

/** Resolves when the payment is in this state. */
export async function untilIs(db: Database, paymentHash: string, state: string): Promise<void> {
  await expect.poll(() => statesOf(db, paymentHash), { interval: 20 }).toContain(state)
}

/** The same VASP, which answers 504 at once for a payment that has not ended. */
export function impatient(vasp: TestVasp): TestVasp {
  return withParts(vasp, { settings: { ...vasp.app.settings, paymentWaitSeconds: 0 } })
}

/** Resolves when a worker has given up the lease on the payment, because the node did not know the outcome. */
export async function untilUnknown(db: Database, paymentHash: string): Promise<void> {
  const text = `select state, lease_owner as owner from payments where payment_hash = $1 order by id desc limit 1`
  const read = (): Promise<unknown[]> => db.query({ name: 'test_lease', text }, [paymentHash])
  await expect.poll(read, { interval: 20 }).toEqual([{ state: 'sending', owner: 'nobody' }])
}

/** Ends the lease on the payment, so that the next worker round takes it over. */
export async function endLease(db: Database, paymentHash: string): Promise<void> {
  const text = `update payments set lease_expires_at = now() - interval '1 second'
                where payment_hash = $1 and lease_expires_at is not null`
  await db.query({ name: 'test_end_lease', text }, [paymentHash])
}

/** Checks N1 to N5 and N7 by the audit and by an independent sum. A scripted node has no records to compare. */
export async function expectSound(db: Database): Promise<void> {
  expect(await recomputeBooks(db)).toEqual([])
  const text = 'select count(*)::int as sends from lightning_node.sends'
  const [row] = await db.query<{ sends: number }>({ name: 'test_any_sends', text })
  const nodeBooks = row?.sends === 0 ? 'elsewhere' : 'here'
  expect(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db), nodeBooks)).toEqual([])
}

/** The number of answers with each status. */
export function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The sum of all postings to the accounts of this kind in SAT that belong to no wallet. */
export async function houseBalance(db: Database, kind: string): Promise<bigint> {
  const text = `select coalesce(sum(p.amount), 0)::bigint as total from ledger_accounts a join postings p on p.account_id = a.id
                where a.kind = $1 and a.currency_code = 'SAT' and a.wallet_id is null`
  const [row] = await db.query<{ total: bigint }>({ name: 'test_house_balance', text }, [kind])
  return row?.total ?? 0n
}
