-- What strangers ask for and do not pay: it stands in nobody's way, and goes where nobody signed for it.

-- Only what others asked for carries an agreement. A person's own list reads no row of it, however much was asked for.
create index invoices_own_open_idx on invoices (user_id, created_at desc, id desc, expires_at)
  where settled_at is null and agreed_credit is null;
-- Finds what may go, oldest first.
create index invoices_asked_open_idx on invoices (expires_at, id) where settled_at is null and agreed_credit is not null;

-- Anybody can have an invoice made, without a word of who they are. A day after its end nobody can pay it any more and no
-- delayed call asks for it; where it was not paid it may go, together with its request, which no invoice goes without. Every
-- other invoice stays for ever.
create function only_unpaid_unsigned_invoices_go() returns trigger language plpgsql as $$
begin
  if old.settled_at is not null or old.agreed_credit is null or old.expires_at > now() - interval '1 day'
     or not exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from receipts where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'an invoice stays, unless nobody signed for it and nobody paid it' using errcode = 'LG005';
  end if;
  return old;
end $$;
drop trigger invoices_kept on invoices;
create trigger invoices_kept before truncate on invoices for each statement execute function ledger_is_append_only();
create trigger invoices_unpaid_unsigned_go before delete on invoices
  for each row execute function only_unpaid_unsigned_invoices_go();
