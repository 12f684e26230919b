import type { NodeBooks } from '../lightning/opened-node'
import type { Database } from '../platform/db/database'
import { statement, type Statement } from '../platform/db/statement'

/** A broken guarantee of the books, and where it is broken. */
export interface Breach {
  readonly invariant: 'N1' | 'N2' | 'N3' | 'N4' | 'N5' | 'N7'
  readonly detail: string
}

/**
 * Checks the rows of one table in a range of ids: after $1, up to $2. Ranges are small, because a server cancels long
 * statements, and because payments on the embedded database's only connection wait for each statement. Lookups are
 * subqueries for each row: without statistics, the planner could turn a join into a scan of the whole table.
 */
interface Check {
  readonly next: Statement<{ last: bigint | null }>
  readonly select: Statement<Breach>
}

/** On the embedded database, every other statement waits for one that reads so many. */
const SLICE_ROWS = 2_000

function check(table: string, select: string, id = 'id', name = table): Check {
  return {
    next: statement<{ last: bigint | null }>(
      `audit_next_${table}`,
      `select max(id) as last from (select ${id} as id from ${table} where ${id} > $1 and ${id} <= $2 order by ${id} limit ${SLICE_ROWS}) slice`,
    ),
    select: statement<Breach>(`audit_${name}`, `${select} limit 20`),
  }
}

/**
 * N1: the postings of an entry sum to zero in each currency.
 * N2: a running balance is the sum of the postings up to it, and a user's balance is never below zero.
 * Postings before the range count as checked.
 */
const POSTINGS = check(
  'postings',
  `
    with lines as (select * from postings where id > $1 and id <= $2),
    touched as (select distinct entry_id from lines),
    chain as (
      select id, account_id, amount, balance_after, lag(balance_after) over (partition by account_id order by id) as before,
             row_number() over (partition by account_id order by id) as place
      from lines where (select balance from ledger_accounts where id = lines.account_id) is not null
    )
    select 'N1' as invariant, 'entry ' || entry_id || ' does not sum to zero in ' || currency_code as detail
    from touched
    cross join lateral (select currency_code from postings where entry_id = touched.entry_id
                        group by currency_code having sum(amount) <> 0 offset 0) uneven
    union all
    select 'N2', 'posting ' || id || ' has a wrong running balance for account ' || account_id
    from chain
    where balance_after is null
      or balance_after < 0 and (select node_key from ledger_accounts where id = chain.account_id) is null
      or balance_after <> amount + case when place > 1 then before
      else coalesce((select earlier.balance_after from postings earlier
                     where earlier.account_id = chain.account_id and earlier.id < chain.id order by earlier.id desc limit 1), 0) end`,
)

/** N1: an entry has postings. */
const ENTRIES = check(
  'journal_entries',
  `select 'N1' as invariant, 'entry ' || e.id || ' has no postings' as detail
   from journal_entries e
   where e.id > $1 and e.id <= $2 and (select p.id from postings p where p.entry_id = e.id limit 1) is null`,
)

/**
 * N2: the balance of an account is the running balance of its last posting.
 * N3: the held amount is the sum of the debits of open payments.
 */
function accountFaults(where: string): string {
  return `
    with accounts as (
      select account.*,
             coalesce((select p.balance_after from postings p
                       where p.account_id between account.id and account.id order by p.account_id, p.id desc limit 1), 0) as posted
      from ledger_accounts account where account.balance is not null and (${where})
    )
    select 'N2' as invariant, 'account ' || id || ' has the balance ' || balance || ', but its postings sum to ' || posted as detail
    from accounts where balance <> posted or balance < 0 and node_key is null
    union all
    select 'N3', 'account ' || a.id || ' holds ' || a.balance || ', but its open payments sum to ' || open.total
    from accounts a
    cross join lateral (select coalesce(sum(p.debit), 0) as total from payments p
                        where p.wallet_id between a.wallet_id and a.wallet_id and p.state in ('held', 'sending')) open
    where a.kind = 'held' and a.balance <> open.total`
}
const ACCOUNTS = check('ledger_accounts', accountFaults('account.id > $1 and account.id <= $2'))
const TOUCHED_ACCOUNTS = statement<Breach>(
  'audit_touched_accounts',
  `${accountFaults(`
    account.id = any (array(
      select account_id from postings where id > $1
      union
      select held.id
      from (select wallet_id from payments where state in ('held', 'sending')
            union select wallet_id from payments where id = any ($2::bigint[])) open
      cross join lateral (select id from ledger_accounts where wallet_id = open.wallet_id and kind = 'held' offset 0) held))`)} limit 20`,
)

/**
 * N4: a settled payment has debited its wallet once, an open one holds its amount, and a failed one has debited nothing.
 * N5: a payment hash is settled once, and one posting has credited the invoice's wallet with the amount recorded in the invoice.
 */
function paymentFaults(where: string): string {
  return `
    with books as materialized (select * from payment_books p where ${where})
    select 'N4' as invariant, 'payment ' || id || ' with a debit of ' || debit || ' has the state ' || state
           || ', but the ledger moved ' || available || ' in the available account and ' || held || ' in the held account' as detail
    from books where payer_fits is not true
    union all
    select 'N5', 'payment ' || id || ' does not match what the ledger credited to its payee'
    from books where payee_fits is not true
    union all
    select distinct 'N5', 'hash ' || payment_hash || ' was settled more than once'
    from books
    where state = 'succeeded'
      and (select other.id from payments other
           where other.payment_hash = books.payment_hash and other.id <> books.id and other.state = 'succeeded' limit 1) is not null`
}
const PAYMENTS = check('payments', paymentFaults('p.id > $1 and p.id <= $2'))
/** Payments with ids up to $1 that are open or have a journal entry after $2, and those of $3. */
const TOUCHED_PAYMENTS = statement<Breach>(
  'audit_touched_payments',
  `${paymentFaults(`
    p.id = any (array(select id from payments where id <= $1 and state in ('held', 'sending')
                      union select payment_id from journal_entries where id > $2 and payment_id <= $1
                      union select unnest($3::bigint[])))`)} limit 20`,
)

/** N5: a settled invoice was paid exactly once, by one of this VASP's own users or by an incoming payment. */
function invoiceFaults(where: string): string {
  return `
    select 'N5' as invariant, 'invoice ' || i.id || ' is settled, but the number of its payments is ' || paid.times as detail
    from invoices i
    cross join lateral (
      select (select count(*) from payments p
              where p.payment_hash = i.payment_hash and p.invoice is not distinct from i.invoice and p.node_key is null
                and p.state = 'succeeded')
           + (select count(*) from incoming_payments r where r.invoice_id = i.id) as times offset 0
    ) paid
    where i.settled_at is not null and ${where} and paid.times <> 1`
}
const INVOICES = check('invoices', invoiceFaults('i.id > $1 and i.id <= $2'))
const SETTLED_INVOICES = statement<Breach>(
  'audit_settled_invoices',
  `${invoiceFaults('i.settled_at between $1 and now()')} limit 20`,
)

/** N5: an incoming payment was credited once, or booked to `suspense`. */
const RECEIPTS = check(
  'incoming_payments',
  `select 'N5' as invariant, 'receipt ' || id || ' of ' || amount_msats || ' does not match what the ledger moved for it' as detail
   from incoming_payment_books where id > $1 and id <= $2 and fits is not true`,
)

/**
 * N7: the records of the simulated node and the ledger agree. Every send has a payment that was already marked as sent. A
 * send that succeeded has a payment that is settled, about to be settled, or booked as the operator's loss. A payment
 * that the ledger settled was sent by the node with the same fee, or with a fee above the limit that the payer agreed to.
 */
function sendFaults(where: string): string {
  return `
   select 'N7' as invariant, 'send ' || s.send_id || ' has the state ' || s.state || ' at the node; its payment '
          || coalesce('has the state ' || p.state, 'is missing') as detail
   from (select * from lightning_node.sends where ${where}) s
   left join lateral (select * from payments where id = s.send_id offset 0) p on true
   where p.id is null or p.state = 'held'
      -- A send that failed before the node was asked to pay has no amount.
      or (p.payment_hash, p.payee_key, p.amount_msats) is distinct from (s.payment_hash, s.payee, coalesce(s.amount_msats, p.amount_msats))
      or p.state = 'succeeded' and (s.state, s.preimage, least(s.fee_msats, p.fee_limit_msats)) is distinct from ('succeeded', p.preimage, p.network_fee_msats)
      or p.state = 'failed' and s.state <> 'failed'
         and (select e.id from journal_entries e where e.payment_id = p.id and e.kind = 'loss') is null
         -- A payment that was written off stays open at the node until its payee gives a final answer, which is then
         -- booked.
         and (select d.payment_id from payment_write_offs d where d.payment_id = p.id and d.resolved_at is null) is null`
}
const SENDS = check('lightning_node.sends', sendFaults('send_id > $1 and send_id <= $2'), 'send_id')
/**
 * Sends of payments up to $1 that have a journal entry after $2. A payment may be older than the last audit and get an entry now.
 */
const TOUCHED_SENDS = statement<Breach>(
  'audit_touched_sends',
  `${sendFaults('send_id = any (array(select payment_id from journal_entries where id > $2 and payment_id <= $1))')} limit 20`,
)
/**
 * N7, the other direction: this VASP's node sent every payment that the ledger has booked as paid to another node. The checks
 * above cover only payments that have a send.
 */
function paidFaults(where: string): string {
  return `
   select 'N7' as invariant, 'payment ' || p.id || ' has the state ' || p.state || case p.state when 'failed' then ' and is booked as a loss' else '' end
          || '; its send ' || coalesce('has the state ' || s.state, 'is missing') || ' at the node' as detail
   from (select * from payments where node_key is not null and state in ('succeeded', 'failed') and ${where}) p
   left join lateral (select * from lightning_node.sends where send_id = p.id offset 0) s on true
   where p.state = 'succeeded' and s.send_id is null
      or p.state = 'failed' and s.state is distinct from 'succeeded'
         and (select e.id from journal_entries e where e.payment_id = p.id and e.kind = 'loss') is not null`
}
const PAID = check('payments', paidFaults('id > $1 and id <= $2'), 'id', 'paid_payments')
/** Payments up to $1 that a journal entry after $2 completed. */
const TOUCHED_PAID = statement<Breach>(
  'audit_touched_paid',
  `${paidFaults('id = any (array(select payment_id from journal_entries where id > $2 and payment_id <= $1))')} limit 20`,
)

/** N7: every payment that the node received was booked with its amount. */
const NODE_RECEIPTS = check(
  'lightning_node.receipts',
  `select 'N7' as invariant, 'the node received ' || n.payment_hash || ', but the ledger did not book it' as detail
   from lightning_node.receipts n
   left join lateral (select * from incoming_payments where payment_hash = n.payment_hash offset 0) r on true
   where n.id > $1 and n.id <= $2 and n.state = 'received'
     and (r.amount_msats, r.node_key) is distinct from (n.amount_msats, n.payer)`,
)

/** A position in the books: the highest ids at one moment. */
export interface AuditMark {
  readonly lastPosting: bigint
  readonly lastEntry: bigint
  readonly lastPayment: bigint
  readonly lastReceipt: bigint
  readonly lastNodeReceipt: bigint
  /** Payments in progress: the next audit looks at them again, in case one ends without an entry. */
  readonly openPayments: readonly bigint[]
  readonly at: Date
}

export const FROM_THE_BEGINNING: AuditMark = {
  lastPosting: 0n,
  lastEntry: 0n,
  lastPayment: 0n,
  lastReceipt: 0n,
  lastNodeReceipt: 0n,
  openPayments: [],
  at: new Date(0),
}

const OPEN_PAYMENTS = `array(select id from payments where state in ('held', 'sending') order by id) as "openPayments"`

const NOW = statement<AuditMark>(
  'audit_now',
  `select coalesce((select max(id) from postings), 0) as "lastPosting",
                coalesce((select max(id) from journal_entries), 0) as "lastEntry",
                coalesce((select max(id) from payments), 0) as "lastPayment",
                coalesce((select max(id) from incoming_payments), 0) as "lastReceipt",
                coalesce((select max(id) from lightning_node.receipts), 0) as "lastNodeReceipt",
                ${OPEN_PAYMENTS}, now() as at`,
)

/**
 * The last rows that are at least 60 seconds old. No later commit adds a row before them, because no transaction lasts 30
 * seconds: the server cancels a statement after five seconds, and a transaction that is idle for ten. The transaction of such
 * a row drew its ids at least 30 seconds ago. Each transaction with lower ids had begun by then, so it has ended.
 */
const ENDED = statement<AuditMark>(
  'audit_ended',
  `
    with entry as (
      select id from journal_entries where created_at <= now() - interval '60 seconds' order by id desc limit 1
    )
    select coalesce((select max(p.id) from postings p join entry on p.entry_id = entry.id), 0) as "lastPosting",
           coalesce((select id from entry), 0) as "lastEntry",
           coalesce((select id from payments where created_at <= now() - interval '60 seconds' order by id desc limit 1), 0)
             as "lastPayment",
           coalesce((select id from incoming_payments where created_at <= now() - interval '60 seconds' order by id desc limit 1), 0)
             as "lastReceipt",
           coalesce((select id from lightning_node.receipts where created_at <= now() - interval '60 seconds' order by id desc limit 1), 0)
             as "lastNodeReceipt",
           ${OPEN_PAYMENTS}, now() - interval '60 seconds' as at`,
)

/** The current position of the books. An open transaction may still add rows before it. */
export async function readAuditMark(db: Database): Promise<AuditMark> {
  return readMark(db, NOW)
}

/** A position before which no rows will be added: the next audit may continue from there. */
export async function readEndedMark(db: Database): Promise<AuditMark> {
  return readMark(db, ENDED)
}

async function readMark(db: Database, mark: Statement<AuditMark>): Promise<AuditMark> {
  const [row] = await db.query(mark)
  if (row === undefined) throw new Error('the database returned no time')
  return row
}

const LAST_ID = 2n ** 63n - 1n

/**
 * Looks for breaches of N1 to N5 and N7 in the rows between two positions. Each statement returns at most 20 breaches.
 * Every statement sees one snapshot, and an entry becomes visible as a whole, so payments in progress are not
 * reported.
 * `nodeBooks`: `here` when this VASP's node records its sends in this database, as the simulated node does.
 */
export async function findBreaches(
  db: Database,
  since: AuditMark,
  until: AuditMark,
  nodeBooks: NodeBooks = 'here',
): Promise<Breach[]> {
  const breaches: Breach[] = []
  for await (const found of auditSlices(db, since, until, nodeBooks)) breaches.push(...found)
  return breaches
}

/** `findBreaches` slice by slice. Balances come first, because they are what users can spend. */
export async function* auditSlices(
  db: Database,
  since: AuditMark,
  until: AuditMark,
  nodeBooks: NodeBooks,
): AsyncGenerator<readonly Breach[]> {
  if (since === FROM_THE_BEGINNING) {
    yield* inSlices(db, ACCOUNTS, 0n, LAST_ID)
    yield* inSlices(db, INVOICES, 0n, LAST_ID)
  } else {
    yield await db.query(TOUCHED_ACCOUNTS, [since.lastPosting, since.openPayments])
    yield await db.query(TOUCHED_PAYMENTS, [since.lastPayment, since.lastEntry, since.openPayments])
    yield await db.query(SETTLED_INVOICES, [since.at])
    yield await db.query(TOUCHED_SENDS, [since.lastPayment, since.lastEntry])
    if (nodeBooks === 'here') yield await db.query(TOUCHED_PAID, [since.lastPayment, since.lastEntry])
  }
  yield* inSlices(db, POSTINGS, since.lastPosting, until.lastPosting)
  yield* inSlices(db, ENTRIES, since.lastEntry, until.lastEntry)
  yield* inSlices(db, PAYMENTS, since.lastPayment, until.lastPayment)
  yield* inSlices(db, RECEIPTS, since.lastReceipt, until.lastReceipt)
  yield* inSlices(db, SENDS, since.lastPayment, LAST_ID)
  yield* inSlices(db, NODE_RECEIPTS, since.lastNodeReceipt, until.lastNodeReceipt)
  if (nodeBooks === 'here') yield* inSlices(db, PAID, since.lastPayment, until.lastPayment)
}

/** Slices end at existing ids, so that wide gaps in the ids cost nothing. */
async function* inSlices(
  db: Database,
  { next, select }: Check,
  after: bigint,
  upTo: bigint,
): AsyncGenerator<readonly Breach[]> {
  for (let from = after; ;) {
    const [slice] = await db.query(next, [from, upTo])
    const last = slice?.last ?? null
    if (last === null) return
    yield await db.query(select, [from, last])
    from = last
  }
}
