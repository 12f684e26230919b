import type { Books } from './rows'
import { describe as text } from './world'

/** Rows without the ids that each side draws for itself. */
export function comparable(books: Books, people: readonly string[]): unknown {
  const mine = books.wallets.filter(({ user_id }) => people.includes(user_id))
  const walletIds = new Set(mine.map(({ id }) => id))
  const ids = new Set(books.accounts.filter((each) => walletIds.has(each.wallet_id ?? -1n)).map(({ id }) => id))
  const entries = new Map(books.entries.map((each) => [each.id, each.idempotency_key]))
  const touched = new Set(books.postings.filter((each) => ids.has(each.account_id)).map((each) => each.entry_id))
  const invoices = books.invoices.filter(({ user_id }) => people.includes(user_id))
  return {
    balances: books.accounts
      .filter(({ id }) => ids.has(id))
      .map(({ id, balance }) => `${id} ${balance}`)
      .sort(),
    postings: books.postings
      .filter((each) => touched.has(each.entry_id))
      .map(
        (each) =>
          `${entries.get(each.entry_id)} ${each.account_id} ${each.amount} ${ids.has(each.account_id) ? each.balance_after : ''}`,
      )
      .sort(),
    payments: books.payments
      .filter(({ user_id }) => people.includes(user_id))
      .map((each) =>
        text([
          each.id,
          each.payment_hash,
          each.invoice,
          each.wallet_id,
          each.node_key,
          each.amount_msats,
          each.network_fee_msats,
          each.fee_limit_msats,
          each.debit,
          each.state,
          each.preimage,
          each.failure,
          each.keysend_preimage,
          each.idempotency_key,
          each.lease_owner,
        ]),
      )
      .sort(),
    invoices: invoices
      .map((each) =>
        text([each.payment_hash, each.invoice, each.wallet_id, each.settled, each.received_msats, each.credited]),
      )
      .sort(),
    receipts: books.receipts
      .filter((each) => invoices.some(({ payment_hash }) => payment_hash === each.payment_hash))
      .map((each) => `${each.payment_hash} ${each.amount_msats} ${each.invoice_id === null}`)
      .sort(),
  }
}
