import { walletOrder } from '../ledger/accounts'
import type { EntryKind } from '../ledger/entry'
import { currencyOf, isCurrencyCode, type Currency, type CurrencyCode, type RateTable } from '../money/currencies'
import { msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { visibleText } from '../platform/visible-text'

/** One entry as the wallet's owner sees it: the change to the whole wallet. Amounts in ledger units. */
export interface StatementLine {
  /** Id of the entry's first posting in the wallet. */
  readonly id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly text: string
  /** The memo of a payment whose `text` names the other party. */
  readonly memo: string | null
  readonly amount: bigint
  /** The wallet's balance after this entry, including amounts held for pending payments. */
  readonly balance: bigint
  /** The payment or the invoice behind it, if any. */
  readonly about: { readonly what: 'payment' | 'invoice'; readonly paymentHash: string } | null
}

export interface WalletCard {
  readonly currency: Currency
  readonly available: bigint
  readonly held: bigint
  /** The wallet's value in ledger units of the default currency, rounded down; null for the default currency itself. */
  readonly approxInDefault: bigint | null
  readonly latest: StatementLine[]
}

interface Row {
  readonly code: CurrencyCode
  readonly available: bigint
  readonly held: bigint
  /** True when older postings were not read. */
  readonly more: boolean
  /** The oldest posting of the entries that were read completely; null if there are none. */
  readonly read_to: bigint | null
}

interface LineRow extends Row {
  readonly id: bigint
  readonly at: Date
  readonly kind: EntryKind
  readonly amount: bigint
  readonly balance: bigint
  readonly party: string | null
  readonly comment: string | null
  readonly description: string | null
  readonly payment_hash: string | null
  readonly other_code: string | null
}

/** The maximum number of postings that one query reads from each of a wallet's two accounts. */
const POSTINGS_READ = 200

/**
 * The user's wallets in order of preference, and the newest lines of one or of all of them that are older than a given posting. A
 * wallet without such a line has one row. A line is an entry with its sum over the wallet's accounts. An entry that only moves money
 * between them (a hold, a release) has a sum of 0 and is not a line, so a payment is one line: its final debit. If an account has
 * more postings than are read, entries at or below the oldest posting read may be incomplete and are left out. The balance of a line
 * is the sum of the two accounts' balances, each after the newest posting that was read, less the entries above the line. So each
 * page reads postings only once, whatever plan the server chooses. The party of a payment to an address is the other address: the
 * recipient sees the payer's, and vice versa.
 *
 * $1: the user. $2: the only wallet whose lines are read; null for all. $3: the posting. $4: the number of lines of each wallet.
 * `offset 0` makes the planner use the index for each lookup even without statistics.
 */
const LINES = statement<Row | LineRow>(
  'statement_lines',
  `select wallet.code, available.balance as available, held.balance as held,
          page.more, page.read_to, page.id, page.amount, page.balance, line.*
  from (select w.id, w.currency_code as code, $2::text is null or w.currency_code = $2 as has_lines,
               row_number() over (order by ${walletOrder('(select default_currency from users where id = $1)')}) as place
        from wallets w where w.user_id = $1) wallet
  cross join lateral (select id, balance from ledger_accounts
                      where wallet_id = wallet.id and kind = 'available' offset 0) available
  cross join lateral (select id, balance from ledger_accounts where wallet_id = wallet.id and kind = 'held' offset 0) held
  cross join lateral (
    with seen as materialized (
      (select account_id, entry_id, id, amount, balance_after from postings
       where account_id = available.id and id < $3 and wallet.has_lines order by id desc limit ${POSTINGS_READ})
      union all
      (select account_id, entry_id, id, amount, balance_after from postings
       where account_id = held.id and id < $3 and wallet.has_lines order by id desc limit ${POSTINGS_READ})
    ), unread as (
      select coalesce(max(oldest), 0) as below from
        (select min(id) as oldest from seen group by account_id having count(*) = ${POSTINGS_READ}) cut
    ), newest as (
      select coalesce(sum(balance_after), 0) as balance from
        (select distinct on (account_id) balance_after from seen order by account_id, id desc) latest
    ), summed as (
      select entry_id, min(id) as id, sum(amount)::bigint as amount
      from seen group by entry_id having min(id) > (select below from unread)
    ), entries as materialized (
      select summed.*, (newest.balance + amount - sum(amount) over (order by id desc))::bigint as balance from summed, newest
    )
    select unread.below > 0 as more, (select min(id) from entries) as read_to, shown.*
    from unread left join lateral (select * from entries where amount <> 0 order by id desc limit $4) shown on true
  ) page
  left join lateral (
    select e.kind, e.created_at as at, coalesce(payment.payment_hash, received.payment_hash) as payment_hash,
       coalesce(payment.description, received.description) as description,
       coalesce(sent.comment, asked.comment) as comment, coalesce(sent.receiver_address, asked.payer_address) as party,
       (select o.currency_code from postings o join ledger_accounts a on a.id = o.account_id
        where o.entry_id = e.id and a.kind = 'available' and a.id <> available.id and e.kind = 'exchange' limit 1) as other_code
    from journal_entries e
    left join payments payment on payment.id = e.payment_id
    left join incoming_payments receipt on receipt.id = e.incoming_payment_id
    left join invoices received on received.id = receipt.invoice_id
    left join quotes sent on page.amount < 0 and sent.payment_hash = payment.payment_hash and sent.user_id = payment.user_id
    left join invoices bill on page.amount > 0 and bill.payment_hash = coalesce(payment.payment_hash, received.payment_hash)
    left join uma_pay_requests asked on asked.invoice_id = bill.id
    where e.id = page.entry_id
  ) line on true
  order by wallet.place, page.id desc`,
)
const LATEST_COUNT = 4
const LAST_ID = 2n ** 63n - 1n

function isLine(row: Row | LineRow): row is LineRow {
  return 'id' in row && row.id !== null
}

/** The rows of each known wallet, in order of preference. */
function byWallet(rows: readonly (Row | LineRow)[]): [Row, ...(Row | LineRow)[]][] {
  const wallets = new Map<CurrencyCode, [Row, ...(Row | LineRow)[]]>()
  for (const row of rows) {
    if (!isCurrencyCode(row.code)) continue
    const known = wallets.get(row.code)
    if (known === undefined) wallets.set(row.code, [row])
    else known.push(row)
  }
  return [...wallets.values()]
}

/** The user's wallets in order of preference, each with its latest entries, in one statement. */
export async function listWallets(db: Database, username: string, rates: RateTable): Promise<WalletCard[]> {
  const wallets = byWallet(await db.query(LINES, [username, null, LAST_ID, LATEST_COUNT]))
  const first = wallets[0]?.[0]
  return wallets.map(([wallet, ...more]) => ({
    currency: currencyOf(wallet.code),
    available: wallet.available,
    held: wallet.held,
    approxInDefault: first === undefined || first === wallet ? null : worthIn(first.code, wallet, rates),
    latest: [wallet, ...more].filter(isLine).map(toLine),
  }))
}

function worthIn(code: CurrencyCode, wallet: Row, rates: RateTable): bigint {
  return msatsInLedgerUnits(
    worthInMsats(wallet.available + wallet.held, wallet.code, 'down', rates),
    code,
    'down',
    rates,
  )
}

const PAGE_COUNT = 50
/** Maximum number of queries for one page: many failed payments in a row have postings but no lines. */
const MAX_QUERIES = 5

/** One page of a wallet's statement, newest first; null when the user has no such wallet. */
export async function readStatement(
  db: Database,
  username: string,
  code: string,
  beforeId: bigint = LAST_ID,
): Promise<{
  readonly currency: Currency
  readonly available: bigint
  readonly held: bigint
  readonly lines: StatementLine[]
  /** The next page begins below the posting with this id; null if there is no next page. */
  readonly olderThan: bigint | null
  /** The currencies of the user's other wallets, in order of preference. */
  readonly others: Currency[]
} | null> {
  if (!isCurrencyCode(code)) return null
  const lines: StatementLine[] = []
  let before: bigint | null = beforeId > LAST_ID ? LAST_ID : beforeId
  for (let query = 1; ; query += 1) {
    const wallets = byWallet(await db.query(LINES, [username, code, before, PAGE_COUNT + 1 - lines.length]))
    const rows = wallets.find(([wallet]) => wallet.code === code)
    if (rows === undefined) return null
    const [{ available, held, more, read_to: readTo }] = rows
    lines.push(...rows.filter(isLine).map(toLine))
    before = more ? readTo : null
    if (lines.length <= PAGE_COUNT && before !== null && query < MAX_QUERIES) continue
    const olderThan = lines.length > PAGE_COUNT ? (lines[PAGE_COUNT - 1]?.id ?? null) : before
    const others = wallets.flatMap(([wallet]) => (wallet.code === code ? [] : [currencyOf(wallet.code)]))
    return { currency: currencyOf(code), available, held, lines: lines.slice(0, PAGE_COUNT), olderThan, others }
  }
}

function toLine(row: LineRow): StatementLine {
  const memo = visibleText(row.comment) ?? visibleText(row.description) ?? null
  return {
    id: row.id,
    at: row.at,
    kind: row.kind,
    text: lineText({ ...row, otherCode: row.other_code }, memo),
    memo: row.party === null ? null : memo,
    amount: row.amount,
    balance: row.balance,
    about: aboutOf(row),
  }
}

export function aboutOf({
  amount,
  payment_hash: paymentHash,
}: Pick<LineRow, 'amount' | 'payment_hash'>): StatementLine['about'] {
  return paymentHash === null ? null : { what: amount > 0n ? 'invoice' : 'payment', paymentHash }
}

interface LineFacts {
  readonly kind: EntryKind
  readonly amount: bigint
  readonly party: string | null
  /** The other currency of a conversion. */
  readonly otherCode: string | null
}

/** The description of a line. The memo stands in for a party that is unknown. */
export function lineText({ kind, amount, party, otherCode }: LineFacts, memo: string | null): string {
  const what = party === null ? memo : `${amount < 0n ? 'to' : 'from'} ${party}`
  switch (kind) {
    case 'opening':
      return 'Opening balance'
    case 'faucet':
      return 'Sandbox faucet'
    case 'reset':
      return 'Reset to the opening balance'
    case 'exchange':
      return amount < 0n ? `Converted to ${otherCode ?? ''}` : `Converted from ${otherCode ?? ''}`
    case 'loss':
      return 'Corrected by the operator'
    case 'hold':
    case 'release':
    case 'settle':
    case 'receive':
    case 'payment':
      return `${amount < 0n ? 'Paid' : 'Received'}${what === null ? '' : `: ${what}`}`
  }
}
