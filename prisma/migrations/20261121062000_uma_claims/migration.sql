-- UMA invoices that are paid no more often than they may be, payments to an address that are made once for one key, and
-- who is known when strangers crowd.

-- What the house keeps of a payment that comes in by an agreed invoice, in millisatoshis: a part of the invoice's amount.
alter table invoices
  add column agreed_fee_msats bigint not null default 0,
  add constraint invoices_agreed_fee_check check (agreed_fee_msats = 0 or agreed_fee_msats > 0 and agreed_credit is not null);
create trigger invoices_agreed_fee_stays before update on invoices for each row when (
  new.agreed_fee_msats is distinct from old.agreed_fee_msats
) execute function terms_stay();

-- Where an unsigned request came from: a client's address, or its network where the address is of version 6.
alter table uma_pay_requests add column payer_network text check (length(payer_network) <= 64);

-- Makes the invoice that somebody asked for by UMA or LNURL, and keeps who asked, at once. Where it pays a UMA invoice (UMAD-09),
-- the askers queue at that one's row, so that the count below is true: what was paid counts, and what others may still pay.
-- What the same payer asked for before and has not paid gives its place back: it ends now, and no payment finds it open any
-- more. One that is being settled at this moment is waited for, and counts.
-- `outcome`: made | ended (the UMA invoice is over) | full (it is paid, or being paid, as often as it may be).
create function ask_for_invoice(
  made_hash text, made_preimage text, made_invoice text, payee text, to_wallet bigint, msats bigint, memo text, memo_hash text,
  made_at timestamptz, ends_at timestamptz, promised bigint, snapshot text,
  spoken text, receiver text, payer text, told jsonb, sealed bytea, said text, claimed bigint, own_callback text,
  their_callback text, from_network text, fee_msats bigint
) returns text language plpgsql as $$
declare
  claim uma_invoices%rowtype;
  moment timestamptz;
  new_id bigint;
begin
  if claimed is not null then
    select * into claim from uma_invoices where id = claimed for no key update;
    moment := clock_timestamp();
    update invoices set expires_at = moment from uma_pay_requests asked
      where asked.uma_invoice_id = claimed and asked.payer_address = payer and invoices.id = asked.invoice_id
        and invoices.settled_at is null and invoices.expires_at > moment;
    if claim.expires_at <= moment then
      return 'ended';
    end if;
    if (select count(*) from uma_pay_requests asked join invoices i on i.id = asked.invoice_id
        where asked.uma_invoice_id = claimed and (i.settled_at is not null or i.expires_at > moment)) >= claim.max_payments then
      return 'full';
    end if;
  end if;
  insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, description_hash,
                        created_at, expires_at, agreed_credit, rate_snapshot_id, agreed_fee_msats)
    values (made_hash, made_preimage, made_invoice, payee, to_wallet, msats, memo, memo_hash, made_at,
            -- Null where no UMA invoice is paid, which `least` passes over.
            least(ends_at, claim.expires_at), promised, snapshot, fee_msats)
    returning id into new_id;
  insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address, payer_data, travel_rule, comment,
                                uma_invoice_id, callback_id, peer_callback, payer_network)
    values (new_id, spoken, receiver, payer, told, sealed, said, claimed, own_callback, their_callback, from_network);
  return 'made';
end $$;

-- An Idempotency-Key of a payment to an address, and the quote that it stands for. Executing a quote moves money once, so one
-- key for one quote is one payment.
create table address_payment_keys (
  connection_id text not null references connections (id) on delete restrict on update restrict,
  client_key text not null check (length(client_key) between 1 and 200),
  -- What was asked for under the key, to be held against what is asked for again.
  asked text not null,
  payment_hash text not null references quotes (payment_hash) on delete restrict on update restrict,
  created_at timestamptz not null default now(),
  primary key (connection_id, client_key)
);
create index address_payment_keys_payment_hash_idx on address_payment_keys (payment_hash);

-- The quote that a key stands for: the given one for a new key, or where the quote before is over without having been paid.
-- No row where the key was used for something else.
create function take_address_payment_key(through_connection text, key text, now_asked text, quote_hash text)
returns table (paid_hash text) language plpgsql as $$
declare
  kept address_payment_keys%rowtype;
begin
  insert into address_payment_keys (connection_id, client_key, asked, payment_hash)
    values (through_connection, key, now_asked, quote_hash) on conflict do nothing;
  select * into kept from address_payment_keys where connection_id = through_connection and client_key = key for update;
  if kept.asked <> now_asked then
    return;
  end if;
  -- Whoever pays the quote holds its payer's row, or its invoice's where the receiver is here: a payment that is on its way at
  -- this moment is waited for, and one that comes after finds the quote's end.
  perform 1 from users where id = (select user_id from quotes where payment_hash = kept.payment_hash) for no key update;
  perform 1 from invoices where payment_hash = kept.payment_hash for update;
  if exists (select from quotes where payment_hash = kept.payment_hash and expires_at <= clock_timestamp())
     and not exists (select from payments where payment_hash = kept.payment_hash and state <> 'failed') then
    update address_payment_keys set payment_hash = quote_hash, created_at = now()
      where connection_id = through_connection and client_key = key;
    kept.payment_hash := quote_hash;
  end if;
  paid_hash := kept.payment_hash;
  return next;
end $$;

-- Finds whether money has moved between a VASP and ours.
create index uma_pay_requests_payer_domain_idx on uma_pay_requests (split_part(payer_address, '@', 2), invoice_id desc);
create index quotes_receiver_domain_idx on quotes (split_part(receiver_address, '@', 2), id desc);
