import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import type { EntryKind } from '../ledger/entry'
import { currencyOf, isCurrencyCode, type Currency, type CurrencyCode } from '../money/currencies'
import { msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'

/** One posting as its owner reads it. Amounts in ledger units. */
export interface StatementLine {
  readonly id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly text: string
  readonly amount: bigint
  /** What stood on the account after it. */
  readonly balance: bigint
  /** The payment or the invoice behind it, where there is one. */
  readonly about: { readonly what: 'payment' | 'invoice'; readonly paymentHash: string } | null
  /** Held for a payment whose end is not known yet. */
  readonly pending: boolean
}

export interface WalletCard {
  readonly currency: Currency
  readonly available: bigint
  readonly held: bigint
  /** Everything in it, in ledger units of the default currency, rounded down; null for the default currency itself. */
  readonly approxInDefault: bigint | null
  readonly latest: StatementLine[]
}

interface Row {
  readonly id: bigint
  readonly account_id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly amount: bigint
  readonly balance: bigint
  readonly description: string | null
  readonly payment_hash: string | null
  readonly payment_state: 'held' | 'sending' | 'succeeded' | 'failed' | null
  /** What the payment took in the end, in ledger units of this wallet. */
  readonly payment_debit: bigint | null
  readonly other_code: string | null
}

/** Without a memo of its own, a payment to an address tells the address: the payer's to who was paid, and the other way round. */
const LINE = `select p.id, p.account_id, e.created_at as at, e.kind, p.amount, p.balance_after as balance,
       coalesce(payment.description, received.description, case
         when e.kind = 'receive' or e.kind = 'payment' and p.amount > 0 then
           (select 'from ' || r.payer_address from invoices i join uma_pay_requests r on r.invoice_id = i.id
            where i.payment_hash = coalesce(payment.payment_hash, received.payment_hash))
         else (select 'to ' || q.receiver_address from quotes q
               where q.payment_hash = payment.payment_hash and q.user_id = payment.user_id) end) as description,
       coalesce(payment.payment_hash, received.payment_hash) as payment_hash, payment.state as payment_state,
       payment.debit as payment_debit,
       (select o.currency_code from postings o join ledger_accounts a on a.id = o.account_id
        where o.entry_id = e.id and a.kind = 'available' and a.id <> p.account_id and e.kind = 'exchange' limit 1) as other_code
  from postings p
  join journal_entries e on e.id = p.entry_id
  left join payments payment on payment.id = e.payment_id
  left join receipts receipt on receipt.id = e.receipt_id
  left join invoices received on received.id = receipt.invoice_id`

const LATEST_COUNT = 4
const LATEST: Statement = {
  name: 'latest_lines',
  text: `select line.* from unnest($1::bigint[]) as account (id)
         cross join lateral (${LINE} where p.account_id = account.id order by p.id desc limit ${LATEST_COUNT}) line
         order by line.id desc`,
}

/** The person's wallets by preference, each with its latest entries. Two round trips however many wallets. */
export async function listWallets(deps: Pick<Deps, 'db'>, username: string): Promise<WalletCard[]> {
  const wallets = await readWallets(deps.db, username)
  const lines = await deps.db.query<Row>(LATEST, [wallets.map((wallet) => wallet.accountId)])
  const [first] = wallets
  return wallets.map((wallet) => ({
    currency: currencyOf(wallet.code),
    available: wallet.available,
    held: wallet.held,
    approxInDefault: first === undefined || first === wallet ? null : worthIn(first.code, wallet),
    latest: lines.filter((row) => row.account_id === wallet.accountId).map(toLine),
  }))
}

function worthIn(code: CurrencyCode, wallet: WalletAccount): bigint {
  return msatsInLedgerUnits(worthInMsats(wallet.available + wallet.held, wallet.code, 'down'), code, 'down')
}

const PAGE_COUNT = 50
const PAGE: Statement = {
  name: 'statement_page',
  text: `${LINE} where p.account_id = $1 and p.id < $2 order by p.id desc limit ${PAGE_COUNT + 1}`,
}
const LAST_ID = 2n ** 63n - 1n

/** One page of a wallet's statement, newest first; null when the person has no such wallet. */
export async function readStatement(
  deps: Pick<Deps, 'db'>,
  username: string,
  code: string,
  beforeId: bigint = LAST_ID,
): Promise<{
  readonly currency: Currency
  readonly available: bigint
  readonly held: bigint
  readonly lines: StatementLine[]
  /** The next page begins before this one; null when there is none. */
  readonly olderThan: bigint | null
} | null> {
  if (!isCurrencyCode(code)) return null
  const wallet = (await readWallets(deps.db, username)).find((each) => each.code === code)
  if (wallet === undefined) return null
  const rows = await deps.db.query<Row>(PAGE, [wallet.accountId, beforeId > LAST_ID ? LAST_ID : beforeId])
  const lines = rows.slice(0, PAGE_COUNT).map(toLine)
  return {
    currency: currencyOf(code),
    available: wallet.available,
    held: wallet.held,
    lines,
    olderThan: rows.length > PAGE_COUNT ? (lines.at(-1)?.id ?? null) : null,
  }
}

function toLine(row: Row): StatementLine {
  return {
    id: row.id,
    at: row.at,
    kind: row.kind,
    text: textOf(row),
    amount: row.amount,
    balance: row.balance,
    about: aboutOf(row),
    pending: row.kind === 'hold' && isPending(row),
  }
}

function aboutOf({ kind, amount, payment_hash: paymentHash }: Row): StatementLine['about'] {
  if (paymentHash === null) return null
  const came = kind === 'receive' || (kind === 'payment' && amount > 0n)
  return { what: came ? 'invoice' : 'payment', paymentHash }
}

function isPending({ payment_state: state }: Row): boolean {
  return state === 'held' || state === 'sending'
}

function textOf(row: Row): string {
  const what = row.description === null || row.description === '' ? '' : `: ${row.description}`
  const code = row.other_code ?? ''
  switch (row.kind) {
    case 'opening':
      return 'Opening balance'
    case 'faucet':
      return 'Sandbox faucet'
    case 'exchange':
      return row.amount < 0n ? `Converted to ${code}` : `Converted from ${code}`
    case 'hold':
      if (row.payment_state !== 'succeeded') return `Held for a payment${what}`
      return row.payment_debit === -row.amount ? `Paid${what}` : `Paid, with the most its fee could be${what}`
    case 'release':
      return `Hold given back${what}`
    case 'settle':
      return `Fee that was not needed, given back${what}`
    case 'loss':
      return 'Corrected by the house'
    case 'receive':
    case 'payment':
      return `${row.amount < 0n ? 'Paid' : 'Received'}${what}`
  }
}
