import type { Client } from 'pg'

const MSATS = 1_000
const TWO_DAYS_AGO = `now() - interval '2 days'`

/**
 * Writes payments of two days ago between the SAT wallets of two users, in turn, as the ledger would have booked them: rows of
 * `payments`, `invoices`, `journal_entries` and `postings`. Needs a superuser, because triggers would take minutes.
 */
export async function addOldPayments(client: Client, count: number, users: readonly [string, string]): Promise<void> {
  const [one, two] = users
  await client.query(`
    begin;
    set local session_replication_role = replica;
    create temporary table old on commit drop as
      select i, lpad(to_hex(i), 64, '0') as preimage, encode(sha256(decode(lpad(to_hex(i), 64, '0'), 'hex')), 'hex') as hash,
             case i % 2 when 0 then '${one}' else '${two}' end as payer, case i % 2 when 0 then '${two}' else '${one}' end as payee
      from generate_series(1, ${count}) i;
    create temporary table wallet on commit drop as
      select w.id, w.user_id, a.id as account, a.balance from wallets w
      join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
      where w.currency_code = 'SAT' and w.user_id in ('${one}', '${two}');
    insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, created_at, expires_at, settled_at, received_msats, credited)
      select hash, preimage, 'lnbcrt-old-' || i, payee, w.id, ${MSATS}, ${TWO_DAYS_AGO}, now() - interval '1 day', ${TWO_DAYS_AGO}, ${MSATS}, ${MSATS}
      from old join wallet w on w.user_id = payee order by i;
    insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state, preimage, created_at, settled_at)
      select hash, 'lnbcrt-old-' || i, payer, w.id, ${MSATS}, ${MSATS}, (select id from rate_snapshots limit 1), 'succeeded', preimage, ${TWO_DAYS_AGO}, ${TWO_DAYS_AGO}
      from old join wallet w on w.user_id = payer order by i;
    insert into journal_entries (kind, idempotency_key, content_hash, payment_id, created_at)
      select 'payment', 'payment:' || id, 'x', id, ${TWO_DAYS_AGO} from payments where invoice like 'lnbcrt-old-%' order by id;
    insert into postings (entry_id, account_id, currency_code, amount, balance_after)
      select e.id, w.account, 'SAT', line.amount, w.balance + sum(line.amount) over (partition by w.account order by e.id)
      from journal_entries e join payments p on p.id = e.payment_id join old on old.hash = p.payment_hash
      cross join lateral (values (old.payer, -${MSATS}), (old.payee, ${MSATS})) line (who, amount)
      join wallet w on w.user_id = line.who order by e.id, line.amount;
    update ledger_accounts a set balance =
        (select balance_after from postings p where p.account_id = a.id order by p.id desc limit 1)
      where id in (select account from wallet);
    commit`)
  await client.query('analyze')
}
