-- Brings each wallet of a user back to its opening balance with one entry against the faucet account, and ends what is open
-- (end_user_business). `outcome`: reset | pending (a payment is in progress: nothing is changed) | unknown.
-- The user's row queues this behind hold_payment and other resets, so no payment starts between the check and the entries. A
-- payment inside this VASP is either before the entry, which counts it, or after it.
create or replace function reset_user(of_user text, entry_key text) returns text language plpgsql as $$
begin
  perform 1 from users where id = of_user and status <> 'closed' for no key update;
  if not found then
    return 'unknown';
  end if;
  if exists (select from payments where user_id = of_user and state in ('held', 'sending')) then
    return 'pending';
  end if;
  perform end_user_business(of_user);
  -- All accounts before the first entry, in the order in which post_entry locks them.
  perform 1 from ledger_accounts where wallet_id = any (array(select id from wallets where user_id = of_user)) order by id for update;
  perform post_entry('reset', 'reset:' || of_user || ':' || entry_key || ':' || due.currency_code, array[due.faucet_id, due.account_id],
                     array[-due.amount, due.amount])
    from (select w.currency_code, a.id as account_id, faucet.id as faucet_id,
                 coalesce((select p.amount from journal_entries e
                           cross join lateral (select amount, account_id from postings where entry_id = e.id offset 0) p
                           where e.idempotency_key = 'opening:' || of_user || ':' || w.currency_code and e.kind = 'opening'
                             and p.account_id = a.id), 0)
                 - a.balance as amount
          from wallets w
          cross join lateral (select id, balance from ledger_accounts where wallet_id = w.id and kind = 'available' offset 0) a
          cross join lateral (select id from ledger_accounts
                              where kind = 'faucet' and currency_code = w.currency_code and wallet_id is null and node_key is null offset 0) faucet
          where w.user_id = of_user
          order by a.id) due
    where due.amount <> 0;
  return 'reset';
end $$;
