-- The running balance follows the postings. The update takes the account's row lock, and the check on the balance refuses an
-- overdraft whatever else runs at the same instant. The id is drawn under that lock, so the order of the ids is the order of
-- the balances.
create or replace function postings_update_balance() returns trigger language plpgsql as $$
declare
  moved ledger_accounts%rowtype;
begin
  update ledger_accounts set balance = balance + new.amount where id = new.account_id and balance is not null
    returning * into moved;
  new.balance_after := moved.balance;
  new.id := nextval('postings_id_seq');
  -- Two conditions instead of one: the common posting does not prepare the query inside.
  if moved.kind = 'held' then
    if not exists (select from journal_entries e join payments p on p.id = e.payment_id
                   where e.id = new.entry_id and p.wallet_id = moved.wallet_id) then
      raise exception 'what is held is held for a payment from that wallet' using errcode = 'LG007';
    end if;
  end if;
  return new;
end $$;
