import type { Pool } from 'pg'
import { WalletError, type CallContext, type Payment } from 'uma-auth-vasp'
import { first, transaction, type Database } from './database.ts'
import { findInvoice, paymentHashOf, SAT_MSATS } from './invoices.ts'
import type { User } from './logins.ts'

/** Creates or pays an invoice, and returns its payment hash. */
export type Work = (db: Database) => Promise<string>

/**
 * Carries out a request in one transaction, once for each `Idempotency-Key` of a connection. The primary key decides which of two
 * simultaneous requests works; the other one waits for it, and answers from the same row. A refused request leaves no key.
 * @param request what the key stands for. The same key with another request is refused.
 * @param work creates or pays an invoice, and returns its payment hash.
 */
export function once<Result>(
  pool: Pool,
  { claims, idempotencyKey }: Pick<CallContext, 'claims' | 'idempotencyKey'>,
  request: readonly unknown[],
  work: Work,
  answer: (db: Database, paymentHash: string) => Promise<Result>,
): Promise<Result> {
  return transaction(pool, async (db) => {
    if (idempotencyKey === undefined) return answer(db, await work(db))
    const text = JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    const key = [claims.id, idempotencyKey]
    const insert = 'insert into idempotency_keys (connection_id, key, request) values ($1, $2, $3)'
    const isFirst = (await first(db, `${insert} on conflict do nothing returning key`, ...key, text)) !== undefined
    const where = 'where connection_id = $1 and key = $2'
    if (isFirst) await first(db, `update idempotency_keys set payment_hash = $3 ${where}`, ...key, await work(db))
    const select = `select request, payment_hash as hash from idempotency_keys ${where}`
    const stored = await first<{ request: string; hash: string }>(db, select, ...key)
    if (stored?.request === text) return answer(db, stored.hash)
    throw new WalletError('OTHER', 'This Idempotency-Key was used for another request. Nothing was paid.')
  })
}

/**
 * Finds the stored invoice with exactly this text. An app sends the text, so it is an attacker's input: another text can have the
 * same payment hash and name another amount. Everything but the hash is read from the stored row. The invoice of a quote is found
 * for its payer only.
 */
export async function findPayable(db: Database, payer: User, given: string, msats?: bigint): Promise<string> {
  const lower = given.trim().toLowerCase()
  const text = lower.replace(/^lightning:/, '')
  const where = 'payment_hash = $1 and coalesce(quoted_to, $2) = $2'
  const invoice = await findInvoice(db, where, paymentHashOf(text), payer.id)
  if (invoice?.invoice !== text)
    throw new WalletError('PAYMENT_FAILED', 'This is no invoice of this bank, or the quote of another user.')
  if (msats === undefined || msats === invoice.amountMsats) return invoice.paymentHash
  throw new WalletError('OTHER', 'amount differs from the amount of the invoice.')
}

/**
 * Moves the amount of a stored invoice from the payer to its payee, once. Locks are taken in one order, the invoice and then the
 * users by id, so that no two payments wait for each other. They do not conflict with the references that new rows check.
 * @returns the payment hash, also when this payer has paid the invoice before.
 */
export async function settle(db: Database, payer: User, hash: string): Promise<string> {
  // Of two payments of one invoice, the second waits here and then reads who has paid.
  const invoice = await findInvoice(db, 'payment_hash = $1 for no key update', hash)
  if (invoice?.payer === payer.id) return hash
  if (invoice?.payer !== null) throw new WalletError('PAYMENT_FAILED', 'This invoice is already paid.')
  if (invoice.payee === payer.id) throw new WalletError('PAYMENT_FAILED', 'This invoice is your own.')
  // Of two payments from one balance, the second waits here.
  await first(db, 'select from users where id in ($1, $2) order by id for no key update', payer.id, invoice.payee)
  // A statement after the locks reads what the payments before it have committed. `now()` would be a time before the wait.
  const select = `select clock_timestamp() >= expires_at as expired, balance_msats >= amount_msats as covered,
    amount_msats + (select coalesce(sum(amount_msats), 0) from invoices
      where payer = $1 and settled_at > clock_timestamp() - interval '1 day') <= daily_limit_msats as within
    from users, invoices where id = $1 and payment_hash = $2`
  const state = await first<Record<'expired' | 'covered' | 'within', boolean>>(db, select, payer.id, hash)
  if (state?.expired !== false) throw new WalletError('PAYMENT_FAILED', 'It has expired. Ask for a new one.')
  if (!state.covered) throw new WalletError('INSUFFICIENT_BALANCE', 'Your balance does not cover this payment.')
  if (!state.within) throw new WalletError('QUOTA_EXCEEDED', 'You have reached your limit for 24 hours.')
  const move = 'balance_msats = balance_msats + case id when $1 then -$3::int8 else $3 end where id in ($1, $2)'
  await first(db, `update users set ${move}`, payer.id, invoice.payee, invoice.amountMsats)
  const paid = 'update invoices set payer = $2, settled_at = clock_timestamp() where payment_hash = $1'
  await first(db, paid, hash, payer.id)
  return hash
}

/** The receipt, the same for each repeated request. The budget is in satoshis: rounded up. */
export async function receiptOf(db: Database, payer: User, hash: string): Promise<Payment> {
  const paid = await findInvoice(db, 'payment_hash = $1 and payer = $2', hash, payer.id)
  if (paid === undefined) throw new Error(`${hash} is not paid`)
  return { preimage: paid.preimage, totalBudgetAmount: (paid.amountMsats + SAT_MSATS - 1n) / SAT_MSATS }
}
