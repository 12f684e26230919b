import { WalletError, type CallContext, type Payment } from 'uma-auth-vasp'
import type { Database } from './database.ts'
import { findInvoice, paymentHashOf, SAT_MSATS, type Invoice } from './invoices.ts'
import type { User } from './logins.ts'

/**
 * Carries out a request once for each `Idempotency-Key` of a connection. The primary key decides which of two simultaneous requests
 * works; the other one waits for it, and gets its payment hash. A request that was refused leaves no key.
 * @param request what the key stands for: the same key with another request is refused.
 */
export async function once(
  db: Database,
  { claims, idempotencyKey }: Pick<CallContext, 'claims' | 'idempotencyKey'>,
  request: readonly unknown[],
  work: () => Promise<string>,
): Promise<string> {
  if (idempotencyKey === undefined) return work()
  const text = JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  const key = [claims.id, idempotencyKey]
  const { rowCount } = await db.query(
    'insert into idempotency_keys (connection_id, key, request) values ($1, $2, $3) on conflict do nothing',
    [...key, text],
  )
  if (rowCount === 1) {
    const hash = await work()
    await db.query('update idempotency_keys set payment_hash = $3 where connection_id = $1 and key = $2', [
      ...key,
      hash,
    ])
    return hash
  }
  const { rows } = await db.query<{ request: string; payment_hash: string }>(
    'select request, payment_hash from idempotency_keys where connection_id = $1 and key = $2',
    key,
  )
  if (rows[0]?.request !== text)
    throw new WalletError('OTHER', 'This Idempotency-Key was used for another request. Nothing was paid.')
  return rows[0].payment_hash
}

/**
 * The stored invoice with exactly this text. An app sends the text, so it is an attacker's input: another text may have the same
 * payment hash and name another amount. Nothing of it is paid but what the stored row says.
 */
export async function findPayable(db: Database, given: string): Promise<Invoice> {
  const text = given
    .trim()
    .toLowerCase()
    .replace(/^lightning:/, '')
  const { rows } = await db.query<Invoice>('select * from invoices where payment_hash = $1', [paymentHashOf(text)])
  // A bank with a Lightning node gives an invoice of another node to it here, if no row has this hash.
  if (rows[0]?.text !== text)
    throw new WalletError('PAYMENT_FAILED', 'This wallet pays invoices of its own users only.')
  return rows[0]
}

/**
 * Moves the amount of a stored invoice from the payer to its payee, once. Locks are taken in one order, the invoice and then the
 * users by id, so that no two payments wait for each other.
 * @returns the payment hash, also when this payer has paid it before.
 */
export async function settle(db: Database, payer: User, hash: string): Promise<string> {
  // Of two payments of one invoice, the second waits here, and then reads who has paid.
  const { rows } = await db.query<Invoice>('select * from invoices where payment_hash = $1 for no key update', [hash])
  const [invoice] = rows
  if (invoice === undefined) throw new WalletError('NOT_FOUND', 'There is no such invoice.')
  if (invoice.payer === payer.id) return hash
  if (invoice.payer !== null) throw new WalletError('PAYMENT_FAILED', 'This invoice is already paid.')
  if (invoice.payee === payer.id) throw new WalletError('PAYMENT_FAILED', 'This invoice is your own.')
  // Of two payments from one balance, the second waits here. `key share` locks of new rows do not conflict with this one.
  await db.query('select 1 from users where id in ($1, $2) order by id for no key update', [payer.id, invoice.payee])
  // A statement of its own, after the locks: it reads what the payments before have committed. `now()` would be the time before the wait.
  const state = await db.query<{ expired: boolean; covered: boolean; within_limit: boolean }>(
    `select $2 <= clock_timestamp() as expired, balance_msats >= $3 as covered,
       $3 + (select coalesce(sum(amount_msats), 0) from invoices
             where payer = $1 and settled_at > clock_timestamp() - interval '1 day') <= daily_limit_msats as within_limit
     from users where id = $1`,
    [payer.id, invoice.expires_at, invoice.amount_msats],
  )
  if (state.rows[0]?.expired !== false) throw new WalletError('PAYMENT_FAILED', 'It has expired. Ask for a new one.')
  if (!state.rows[0].covered) throw new WalletError('INSUFFICIENT_BALANCE', 'Your balance does not cover this payment.')
  if (!state.rows[0].within_limit)
    throw new WalletError('QUOTA_EXCEEDED', 'This payment exceeds what you may spend in 24 hours.')
  await db.query('update users set balance_msats = balance_msats - $2 where id = $1', [payer.id, invoice.amount_msats])
  await db.query('update users set balance_msats = balance_msats + $2 where id = $1', [
    invoice.payee,
    invoice.amount_msats,
  ])
  await db.query('update invoices set payer = $2, settled_at = clock_timestamp() where payment_hash = $1', [
    hash,
    payer.id,
  ])
  return hash
}

/** The receipt of a paid invoice, the same for each repeated request. */
export async function receiptOf(db: Database, user: User, hash: string): Promise<Payment> {
  const invoice = await findInvoice(db, user, hash)
  if (invoice?.payer !== user.id) throw new Error(`${hash} is not paid`)
  return { preimage: invoice.preimage, totalBudgetAmount: (invoice.amount_msats + SAT_MSATS - 1n) / SAT_MSATS }
}
