-- At the end of the transaction, adds the statement lines of an entry to `movements`: one for each wallet whose total the entry
-- changes. Holds and releases have none, because their sum over the wallet is zero.
create or replace function record_movements() returns trigger language plpgsql as $$
declare
  line record;
  hash text;
  connection text;
  memo text;
  party text;
  payment payments%rowtype;
  bill_id bigint;
  bill_memo text;
begin
  if new.payment_id is not null then
    select * into payment from payments where id = new.payment_id;
  end if;
  for line in
    select w.id as wallet_id, w.user_id, w.currency_code, min(p.id) as id, sum(p.amount)::bigint as amount
    from (select id, account_id, amount from postings where postings.entry_id = new.id offset 0) p
    cross join lateral (select wallet_id from ledger_accounts where ledger_accounts.id = p.account_id offset 0) a
    cross join lateral (select id, user_id, currency_code from wallets where wallets.id = a.wallet_id offset 0) w
    group by w.id, w.user_id, w.currency_code having sum(p.amount) <> 0
  loop
    hash := payment.payment_hash;
    connection := null;
    memo := payment.description;
    party := null;
    if new.incoming_payment_id is not null then
      select payment_hash into hash from incoming_payments where incoming_payments.id = new.incoming_payment_id;
    end if;
    if new.kind = 'exchange' then
      -- The other currency.
      select a.currency_code into party from (select account_id from postings where postings.entry_id = new.id offset 0) p
        cross join lateral (select currency_code, wallet_id, kind from ledger_accounts where ledger_accounts.id = p.account_id offset 0) a
        where a.kind = 'available' and a.wallet_id <> line.wallet_id limit 1;
    elsif hash is not null and line.amount < 0 then
      connection := payment.connection_id;
      select q.receiver_address, coalesce(q.comment, memo) into party, memo from quotes q
        where q.payment_hash = hash and q.user_id = line.user_id;
      memo := coalesce(memo, payment.description);
    elsif hash is not null then
      select i.id, i.description into bill_id, bill_memo from invoices i where i.payment_hash = hash;
      memo := coalesce(memo, bill_memo);
      select r.payer_address, coalesce(r.comment, memo) into party, memo from uma_pay_requests r where r.invoice_id = bill_id;
      memo := coalesce(memo, payment.description, bill_memo);
    end if;
    insert into movements (entry_id, wallet_id, id, user_id, currency_code, kind, amount, sent, payment_hash, connection_id, party, memo, created_at)
      values (new.id, line.wallet_id, line.id, line.user_id, line.currency_code, new.kind, line.amount, line.amount < 0, hash,
              connection, party, memo, new.created_at);
  end loop;
  return null;
end $$;
