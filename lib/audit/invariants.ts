import type { Database, Statement } from '../db/database'

/** A guarantee of the books that does not hold, and where. */
export interface Breach {
  readonly invariant: 'N1' | 'N2' | 'N3' | 'N4' | 'N5'
  readonly detail: string
}

/**
 * N1: the postings of an entry sum to zero in each currency, and an entry has some.
 * N2: a user's running balance is the sum of the postings up to there, and never below zero.
 * For the entries that have a posting in an id range; what comes before the range is taken as checked.
 */
const ENTRIES: Statement = {
  name: 'audit_entries',
  text: `
    with lines as (select * from postings where id > $1 and id <= $2),
    touched as (select distinct entry_id from lines),
    chain as (
      select id, account_id, amount, balance_after, lag(balance_after) over (partition by account_id order by id) as before,
             row_number() over (partition by account_id order by id) as place
      from lines where account_id in (select id from ledger_accounts where wallet_id is not null)
    )
    select 'N1' as invariant, 'entry ' || entry_id || ' does not sum to zero in ' || currency_code as detail
    from postings where entry_id in (select entry_id from touched)
    group by entry_id, currency_code having sum(amount) <> 0
    union all
    select 'N2', 'posting ' || id || ' does not carry the balance of account ' || account_id
    from chain
    where balance_after is null or balance_after < 0 or balance_after <> amount + case when place > 1 then before
      else coalesce((select earlier.balance_after from postings earlier
                     where earlier.account_id = chain.account_id and earlier.id < chain.id order by earlier.id desc limit 1), 0) end
    limit 20`,
}

/**
 * N1: an entry has postings. N2: the balance of an account is what stood after its last posting.
 * N3: what is held is what open payments hold. Where $1 is null for all accounts, else for those touched after it; entries
 * after $2.
 */
const ACCOUNTS: Statement = {
  name: 'audit_accounts',
  text: `
    with accounts as (
      select account.*,
             coalesce((select p.balance_after from postings p where p.account_id = account.id order by p.id desc limit 1), 0) as posted
      from ledger_accounts account
      where account.wallet_id is not null
        and ($1::bigint is null or account.id in (select account_id from postings where id > $1)
             or account.kind = 'held' and (account.balance <> 0
                  or account.wallet_id in (select wallet_id from payments where state in ('held', 'sending'))))
    )
    select 'N2' as invariant, 'account ' || id || ' says ' || balance || ', its postings ' || posted as detail
    from accounts where balance <> posted or balance < 0
    union all
    select 'N3', 'account ' || a.id || ' holds ' || a.balance || ', open payments ' || open.total
    from accounts a
    cross join lateral (select coalesce(sum(p.debit), 0) as total from payments p
                        where p.wallet_id = a.wallet_id and p.state in ('held', 'sending')) open
    where a.kind = 'held' and a.balance <> open.total
    union all
    select 'N1', 'entry ' || e.id || ' has no postings'
    from journal_entries e
    where e.id > $2
      and not exists (select 1 from postings where entry_id = e.id)
    limit 20`,
}

/**
 * N4: a payment took from its wallet what it says, once; one from a wallet to itself took nothing.
 * N5: a hash is settled once, with the amount that its invoice received.
 * For the payments settled after $1.
 */
const PAYMENTS: Statement = {
  name: 'audit_payments',
  text: `
    with settled as (
      select p.*, i.id as invoice_id, i.wallet_id as credited_wallet_id, i.settled_at as invoice_settled_at, i.received_msats,
             coalesce((select -sum(l.amount) from journal_entries e
                       join postings l on l.entry_id = e.id
                       join ledger_accounts a on a.id = l.account_id
                       where e.payment_id = p.id and a.wallet_id = p.wallet_id), 0) as taken
      from payments p left join invoices i on i.payment_hash = p.payment_hash and i.invoice = p.invoice
      where p.state = 'succeeded' and p.settled_at >= $1
    )
    select 'N4' as invariant, 'payment ' || id || ' says ' || debit || ', the ledger took ' || taken as detail
    from settled where taken <> case when wallet_id = credited_wallet_id then 0 else debit end
    union all
    select 'N5', 'payment ' || id || ' and its invoice differ in what was received'
    from settled where invoice_id is not null and received_msats is distinct from amount_msats
    union all
    select 'N5', 'hash ' || payment_hash || ' was settled more than once'
    from settled
    where exists (select 1 from payments other
                  where other.payment_hash = settled.payment_hash and other.id <> settled.id and other.state = 'succeeded')
    group by payment_hash
    union all
    select 'N5', 'invoice ' || i.id || ' is settled without a payment'
    from invoices i
    where i.settled_at >= $1
      and not exists (select 1 from payments p where p.payment_hash = i.payment_hash and p.state = 'succeeded')
    limit 20`,
}

const NOW: Statement = {
  name: 'audit_now',
  text: `select coalesce((select max(id) from postings), 0) as last_posting,
                coalesce((select max(id) from journal_entries), 0) as last_entry, now() as at`,
}

/** How far the books were when an audit looked. */
export interface AuditMark {
  readonly lastPosting: bigint
  readonly lastEntry: bigint
  readonly at: Date
}

export const FROM_THE_BEGINNING: AuditMark = { lastPosting: 0n, lastEntry: 0n, at: new Date(0) }

export async function readAuditMark(db: Database): Promise<AuditMark> {
  const [row] = await db.query<{ last_posting: bigint; last_entry: bigint; at: Date }>(NOW)
  if (row === undefined) throw new Error('the database tells no time')
  return { lastPosting: row.last_posting, lastEntry: row.last_entry, at: row.at }
}

/** Postings of one statement: each is short, so that payments on the embedded database's one connection go on between. */
const SLICE = 50_000n

/**
 * Looks for breaches of N1 to N5 in what was posted and settled between two marks. At most 20 of a kind are told.
 * Every statement sees one snapshot, and an entry becomes visible whole, so payments under way are no breaches.
 */
export async function findBreaches(db: Database, since: AuditMark, until: AuditMark): Promise<Breach[]> {
  const breaches: Breach[] = []
  for (let from = since.lastPosting; from < until.lastPosting; from += SLICE) {
    const to = from + SLICE < until.lastPosting ? from + SLICE : until.lastPosting
    breaches.push(...(await db.query<Breach>(ENTRIES, [from, to])))
  }
  const everyAccount = since === FROM_THE_BEGINNING
  breaches.push(...(await db.query<Breach>(ACCOUNTS, [everyAccount ? null : since.lastPosting, since.lastEntry])))
  breaches.push(...(await db.query<Breach>(PAYMENTS, [since.at])))
  return breaches
}
