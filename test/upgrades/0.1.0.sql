-- A database of release 0.1.0 after a day. test/upgrades/make-dump.ts made it; it never changes.
--
-- PostgreSQL database dump
--

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;

--
-- Name: lightning_node; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA lightning_node;

--
-- Name: accept_reconciliation_items(text, bigint, text, text); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.accept_reconciliation_items(from_peer text, up_to bigint, operator text, given_reason text) RETURNS TABLE(id bigint, direction text, amount_msats bigint)
    LANGUAGE plpgsql
    AS $$
declare
  item lightning_node.reconciliation_items%rowtype;
begin
  for item in select * from lightning_node.reconciliation_items i
    where i.peer = from_peer and i.id <= up_to and i.accepted_at is null order by i.id for update
  loop
    update lightning_node.reconciliation_items i set accepted_at = now(), accepted_by = operator, reason = given_reason where i.id = item.id;
    perform post_entry('reconciliation', 'reconciliation:' || item.id, array[p.id, s.id],
        case item.direction when 'sent' then array[item.amount_msats, -item.amount_msats] else array[-item.amount_msats, item.amount_msats] end)
      from ledger_accounts p, ledger_accounts s
      where p.node_key = item.peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'there is no account for the peer of %', item.id using errcode = 'LG006';
    end if;
    id := item.id;
    direction := item.direction;
    amount_msats := item.amount_msats;
    return next;
  end loop;
end $$;

--
-- Name: answer_of(text, text, text); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.answer_of(asking_payer text, asked_hash text, asked_attempt text) RETURNS TABLE(state text, preimage text, failure text, amount_msats bigint)
    LANGUAGE sql
    AS $$
  select r.state, r.preimage, r.failure, r.amount_msats from lightning_node.receipts r
  where r.payer = asking_payer and r.payment_hash = asked_hash and r.attempt = asked_attempt
$$;

--
-- Name: receipts_delete_guard(); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.receipts_delete_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.state <> 'refused' or old.created_at > now() - interval '1 day' then
    raise exception 'only a refusal older than a day may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;

--
-- Name: receive(text, text, text, bigint, timestamp with time zone, bigint, text, text, bigint, text, jsonb, bigint, bigint[], bigint[]); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.receive(from_payer text, paid_hash text, this_attempt text, msats bigint, deadline timestamp with time zone, max_owed bigint, sent_preimage text, payee text, to_wallet bigint, memo text, shown_metadata jsonb, credited_amount bigint, account_ids bigint[], amounts bigint[]) RETURNS TABLE(state text, preimage text, failure text, amount_msats bigint)
    LANGUAGE plpgsql
    AS $$
declare
  bill invoices%rowtype;
  reason text;
  booked text;
begin
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
  if found then
    return;
  end if;
  if sent_preimage is null then
    select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  end if;
  reason := case
    when deadline <= clock_timestamp() then 'late'
    when sent_preimage is null and (bill.id is null or bill.invoice is null) then 'unknown'
    when bill.settled_at is not null then 'paid'
    when bill.expires_at <= clock_timestamp() then 'expired'
    -- A payer may send a little more, never twice as much (BOLT 4).
    when msats < bill.amount_msats or msats > 2 * bill.amount_msats then 'amount'
  end;
  if reason is not null then
    return query select * from lightning_node.refuse(from_payer, paid_hash, this_attempt, reason);
    return;
  end if;
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage)
    values (from_payer, paid_hash, this_attempt, 'received', msats, coalesce(sent_preimage, bill.preimage));
  if sent_preimage is null then
    booked := book_incoming_payment(paid_hash, from_payer, msats, credited_amount, account_ids, amounts);
  else
    booked := book_incoming_keysend(paid_hash, sent_preimage, from_payer, msats, payee, to_wallet, memo, shown_metadata,
                                    credited_amount, account_ids, amounts);
  end if;
  if booked <> 'credited' then
    raise exception 'the hash was used' using errcode = 'LN002';
  end if;
  if (select balance from ledger_accounts where node_key = from_payer) < -max_owed then
    raise exception 'over the limit of this peer' using errcode = 'LN001';
  end if;
  return query select * from lightning_node.answer_of(from_payer, paid_hash, this_attempt);
end $$;

--
-- Name: reconciliation_items_immutable(); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.reconciliation_items_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.accepted_at is not null
     or (new.id, new.peer, new.direction, new.payment_hash, new.attempt, new.amount_msats, new.found_at)
        is distinct from (old.id, old.peer, old.direction, old.payment_hash, old.attempt, old.amount_msats, old.found_at) then
    raise exception 'a reconciliation item never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;

--
-- Name: refuse(text, text, text, text); Type: FUNCTION; Schema: lightning_node; Owner: -
--

CREATE FUNCTION lightning_node.refuse(asking_payer text, asked_hash text, asked_attempt text, reason text) RETURNS TABLE(state text, preimage text, failure text, amount_msats bigint)
    LANGUAGE plpgsql
    AS $$
begin
  insert into lightning_node.receipts (payer, payment_hash, attempt, state, failure)
    values (asking_payer, asked_hash, asked_attempt, 'refused', reason)
    on conflict do nothing;
  return query select * from lightning_node.answer_of(asking_payer, asked_hash, asked_attempt);
end $$;

--
-- Name: append_only(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'LG005';
end $$;

--
-- Name: book_incoming_keysend(text, text, text, bigint, text, bigint, text, jsonb, bigint, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.book_incoming_keysend(paid_hash text, sent_preimage text, from_node text, msats bigint, payee text, to_wallet bigint, memo text, shown_metadata jsonb, credited_amount bigint, account_ids bigint[], amounts bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  invoice_id bigint;
  new_id bigint;
begin
  insert into invoices (payment_hash, preimage, user_id, wallet_id, amount_msats, description, metadata, settled_at, received_msats, credited)
    values (paid_hash, sent_preimage, payee, to_wallet, msats, memo, shown_metadata, now(), msats, credited_amount)
    on conflict (payment_hash) do nothing
    returning id into invoice_id;
  if invoice_id is null then
    return 'known';
  end if;
  insert into incoming_payments (payment_hash, node_key, amount_msats, invoice_id) values (paid_hash, from_node, msats, invoice_id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return 'credited';
end $$;

--
-- Name: book_incoming_payment(text, text, bigint, bigint, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.book_incoming_payment(paid_hash text, from_node text, msats bigint, credited_amount bigint, account_ids bigint[], amounts bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  bill invoices%rowtype;
  new_id bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if exists (select from incoming_payments where incoming_payments.payment_hash = paid_hash) then
    return 'known';
  elsif bill.id is null then
    return 'unknown';
  elsif bill.settled_at is not null then
    return 'settled';
  elsif msats < bill.amount_msats then
    return 'amount';
  end if;
  insert into incoming_payments (payment_hash, node_key, amount_msats, invoice_id) values (paid_hash, from_node, msats, bill.id)
    returning id into new_id;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  update invoices set settled_at = now(), received_msats = msats, credited = credited_amount where id = bill.id;
  return 'credited';
end $$;

--
-- Name: claim_address_payment_key(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.claim_address_payment_key(through_connection text, client_key text, fingerprint text, quote_hash text) RETURNS TABLE(paid_hash text)
    LANGUAGE plpgsql
    AS $$
declare
  kept address_payment_keys%rowtype;
begin
  insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
    values (through_connection, client_key, fingerprint, quote_hash) on conflict do nothing;
  select * into kept from address_payment_keys where connection_id = through_connection and idempotency_key = client_key for update;
  if kept.request_fingerprint <> fingerprint then
    return;
  end if;
  -- A payment of the quote locks its payer's row, or its invoice's when the receiver is ours. A payment in progress is waited
  -- for, and one that comes later finds the quote expired.
  perform 1 from users where id = (select user_id from quotes where payment_hash = kept.payment_hash) for no key update;
  perform 1 from invoices where payment_hash = kept.payment_hash for update;
  if exists (select from quotes where payment_hash = kept.payment_hash and expires_at <= clock_timestamp())
     and not exists (select from payments where payment_hash = kept.payment_hash and state <> 'failed') then
    update address_payment_keys set payment_hash = quote_hash, created_at = now()
      where connection_id = through_connection and idempotency_key = client_key;
    kept.payment_hash := quote_hash;
  end if;
  paid_hash := kept.payment_hash;
  return next;
end $$;

--
-- Name: connections_delete_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.connections_delete_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'connections are never deleted' using errcode = 'CN003';
end $$;

--
-- Name: connections_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.connections_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.id, new.user_id, new.login_grant_id, new.permissions, new.created_at)
     is distinct from (old.id, old.user_id, old.login_grant_id, old.permissions, old.created_at)
     or new.expires_at is distinct from old.expires_at then
    raise exception 'the terms of a connection never change' using errcode = 'CN001';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked connection stays revoked' using errcode = 'CN002';
  end if;
  return new;
end $$;

--
-- Name: create_requested_invoice(text, text, text, text, bigint, bigint, text, text, timestamp with time zone, timestamp with time zone, bigint, text, text, text, text, jsonb, bytea, text, bigint, text, text, text, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.create_requested_invoice(new_hash text, new_preimage text, new_invoice text, payee text, to_wallet bigint, msats bigint, memo text, memo_hash text, creation timestamp with time zone, expiry timestamp with time zone, promised_credit bigint, snapshot text, used_protocol text, receiver text, payer text, payer_fields jsonb, encrypted_travel_rule bytea, payer_comment text, for_uma_invoice bigint, own_callback text, remote_callback text, from_network text, fee_msats bigint) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  uma_invoice uma_invoices%rowtype;
  moment timestamptz;
  new_id bigint;
begin
  if for_uma_invoice is not null then
    select * into uma_invoice from uma_invoices where id = for_uma_invoice for no key update;
    moment := clock_timestamp();
    update invoices set expires_at = moment from uma_pay_requests request
      where request.uma_invoice_id = for_uma_invoice and request.payer_address = payer and invoices.id = request.invoice_id
        and invoices.settled_at is null and invoices.expires_at > moment;
    if uma_invoice.expires_at <= moment then
      return 'expired';
    end if;
    -- A payment that found its invoice open may commit after the invoice expired: no statement takes longer than five seconds.
    perform 1 from invoices i join uma_pay_requests request on request.invoice_id = i.id
      where request.uma_invoice_id = for_uma_invoice and i.settled_at is null and i.expires_at > moment - interval '10 seconds'
      order by i.id for update of i;
    if (select count(*) from uma_pay_requests request join invoices i on i.id = request.invoice_id
        where request.uma_invoice_id = for_uma_invoice and (i.settled_at is not null or i.expires_at > moment)) >= uma_invoice.max_payments then
      return 'full';
    end if;
  end if;
  insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, description_hash,
                        created_at, expires_at, fixed_credit, rate_snapshot_id, vasp_fee_msats)
    values (new_hash, new_preimage, new_invoice, payee, to_wallet, msats, memo, memo_hash, creation,
            -- Null where no UMA invoice is paid; `least` ignores nulls.
            least(expiry, uma_invoice.expires_at), promised_credit, snapshot, fee_msats)
    returning id into new_id;
  insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address, payer_data, travel_rule, comment,
                                uma_invoice_id, callback_id, remote_callback_url, payer_network)
    values (new_id, used_protocol, receiver, payer, payer_fields, encrypted_travel_rule, payer_comment, for_uma_invoice,
            own_callback, remote_callback, from_network);
  return 'created';
end $$;

--
-- Name: entries_match_incoming_payment(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.entries_match_incoming_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform incoming_payment_must_be_posted(new.incoming_payment_id);
  return null;
end $$;

--
-- Name: entries_match_payment(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.entries_match_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform payment_must_be_posted(new.payment_id);
  return null;
end $$;

--
-- Name: fail_payment(bigint, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fail_payment(failed_id bigint, reason text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  payment payments%rowtype;
begin
  select * into payment from payments where id = failed_id for update;
  if payment.state = 'failed' then
    return 'already';
  elsif payment.state = 'succeeded' then
    return 'succeeded';
  end if;
  update payments set state = 'failed', failure = reason, lease_owner = null, lease_expires_at = null where id = failed_id;
  perform post_entry('release', 'release:' || failed_id, array[a.id, h.id], array[payment.debit, -payment.debit], failed_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', failed_id::text);
  end if;
  return 'failed';
end $$;

--
-- Name: hold_payment(text, text, text, text, bigint, bigint, text, text, bigint, bigint, bigint, text, text, text, timestamp with time zone, text, jsonb, text, integer, text, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.hold_payment(paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, to_node text, to_payee text, msats bigint, fee_limit bigint, held_debit bigint, snapshot text, memo text, memo_hash text, expiry timestamp with time zone, own_preimage text, shown_metadata jsonb, client_key text, max_open integer, worker text, lease interval) RETURNS TABLE(outcome text, payment_id bigint)
    LANGUAGE plpgsql
    AS $$
begin
  -- Copies and other payments of one user queue here, so the count below is true.
  perform 1 from users where id = payer for no key update;
  select id into payment_id from payments
    where payments.payment_hash = paid_hash and state <> 'failed' or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed'
    order by id limit 1;
  if found then
    outcome := 'known';
    return next;
    return;
  end if;
  if exists (select from invoices where invoices.payment_hash = paid_hash) then
    outcome := 'wrapped';
  elsif expiry <= clock_timestamp() then
    outcome := 'expired';
  elsif (select count(*) from payments where user_id = payer and state in ('held', 'sending')) >= max_open then
    outcome := 'many';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, node_key, payee_key, amount_msats,
                          fee_limit_msats, debit, rate_snapshot_id, description, description_hash, expires_at, keysend_preimage,
                          metadata, idempotency_key, state, lease_owner, lease_expires_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, to_node, to_payee, msats, fee_limit,
              held_debit, snapshot, memo, memo_hash, expiry, own_preimage, shown_metadata, client_key, 'held', worker, now() + lease)
      -- Another user may have taken the hash since it was looked up.
      on conflict (payment_hash) where state <> 'failed' do nothing
      returning id into payment_id;
    if payment_id is null then
      outcome := 'known';
      select id into payment_id from payments where payments.payment_hash = paid_hash and state <> 'failed';
    else
      perform post_entry('hold', 'hold:' || payment_id, array[a.id, h.id], array[-held_debit, held_debit], payment_id)
        from ledger_accounts a, ledger_accounts h
        where a.wallet_id = from_wallet and a.kind = 'available' and h.wallet_id = from_wallet and h.kind = 'held';
      outcome := 'held';
    end if;
  end if;
  return next;
end $$;

--
-- Name: incoming_payment_must_be_posted(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.incoming_payment_must_be_posted(checked_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if (select fits from incoming_payment_books where id = checked_id) is not true then
    raise exception 'incoming payment % is not what the ledger moved for it', checked_id using errcode = 'PY007';
  end if;
end $$;

--
-- Name: incoming_payments_match_ledger(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.incoming_payments_match_ledger() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform incoming_payment_must_be_posted(new.id);
  return null;
end $$;

--
-- Name: invoices_delete_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.invoices_delete_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.settled_at is not null or old.fixed_credit is null or old.expires_at > now() - interval '1 day'
     or not exists (select from uma_pay_requests where invoice_id = old.id and protocol = 'lnurl')
     or exists (select from payments where payment_hash = old.payment_hash)
     or exists (select from quotes where payment_hash = old.payment_hash)
     or exists (select from incoming_payments where payment_hash = old.payment_hash)
     or exists (select from lightning_node.receipts where payment_hash = old.payment_hash and state = 'received') then
    raise exception 'only an unpaid invoice of an unsigned request may be deleted' using errcode = 'LG005';
  end if;
  return old;
end $$;

--
-- Name: invoices_settled_by_payment(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.invoices_settled_by_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  paid_by bigint;
begin
  select p.id into paid_by from payments p
    where p.payment_hash = new.payment_hash and p.invoice is not distinct from new.invoice and p.node_key is null
      and p.state = 'succeeded' and p.amount_msats = new.received_msats;
  if paid_by is not null then
    -- When the payment has posted in this transaction, its entry runs the same check.
    if not exists (select from journal_entries where payment_id = paid_by and xmin = pg_current_xact_id()::xid) then
      perform payment_must_be_posted(paid_by);
    end if;
    return null;
  end if;
  select r.id into paid_by from incoming_payments r where r.invoice_id = new.id;
  if paid_by is null then
    raise exception 'invoice % is settled without a payment', new.id using errcode = 'PY004';
  end if;
  perform incoming_payment_must_be_posted(paid_by);
  return null;
end $$;

--
-- Name: invoices_terms_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.invoices_terms_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.id, new.payment_hash, new.preimage, new.invoice, new.user_id, new.wallet_id, new.amount_msats, new.description,
      new.description_hash, new.fixed_credit, new.rate_snapshot_id, new.vasp_fee_msats)
     is distinct from
     (old.id, old.payment_hash, old.preimage, old.invoice, old.user_id, old.wallet_id, old.amount_msats, old.description,
      old.description_hash, old.fixed_credit, old.rate_snapshot_id, old.vasp_fee_msats) then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;

--
-- Name: journal_entries_have_postings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.journal_entries_have_postings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (select count(*) from postings where entry_id = new.id) = 0 then
    raise exception 'entry % has no postings', new.id using errcode = 'LG001';
  end if;
  return null;
end $$;

--
-- Name: ledger_accounts_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ledger_accounts_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if pg_trigger_depth() < 2
     or (new.id, new.kind, new.currency_code, new.wallet_id, new.node_key)
        is distinct from (old.id, old.kind, old.currency_code, old.wallet_id, old.node_key) then
    raise exception 'ledger accounts change through postings only' using errcode = 'LG003';
  end if;
  return new;
end $$;

--
-- Name: ledger_accounts_start_empty(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ledger_accounts_start_empty() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if new.balance <> 0 then
    raise exception 'ledger accounts start empty' using errcode = 'LG003';
  end if;
  return new;
end $$;

--
-- Name: login_grants_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.login_grants_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'a closed login stays closed' using errcode = 'LG001';
end $$;

--
-- Name: payment_must_be_posted(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payment_must_be_posted(checked_payment_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  books payment_books%rowtype;
begin
  select * into books from payment_books where id = checked_payment_id;
  if books.payer_fits is not true then
    raise exception 'payment % of % is %, the ledger moved % available and % held',
      books.id, books.debit, books.state, books.available, books.held using errcode = 'PY003';
  end if;
  if books.payee_fits is not true then
    raise exception 'payment % is not what its invoice received', books.id using errcode = 'PY005';
  end if;
end $$;

--
-- Name: payment_write_offs_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payment_write_offs_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.resolved_at is not null
     or (new.payment_id, new.written_off_by, new.reason, new.written_off_at)
        is distinct from (old.payment_id, old.written_off_by, old.reason, old.written_off_at) then
    raise exception 'a write-off never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;

--
-- Name: payments_match_ledger(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payments_match_ledger() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  -- The entries of a new payment come after it, and each checks by itself.
  if tg_op = 'INSERT' and exists (select from journal_entries where payment_id = new.id) then
    return null;
  end if;
  perform payment_must_be_posted(new.id);
  return null;
end $$;

--
-- Name: payments_state_transition(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payments_state_transition() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (old.state, new.state) not in
     (values ('held', 'sending'), ('held', 'failed'), ('sending', 'succeeded'), ('sending', 'failed')) then
    raise exception 'a payment does not go from % to %', old.state, new.state using errcode = 'PY002';
  end if;
  return new;
end $$;

--
-- Name: payments_terms_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payments_terms_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.id, new.payment_hash, new.invoice, new.user_id, new.connection_id, new.wallet_id, new.quote_id, new.amount_msats,
      new.rate_snapshot_id, new.description, new.description_hash, new.created_at, new.expires_at, new.node_key, new.payee_key,
      new.fee_limit_msats, new.keysend_preimage, new.metadata, new.idempotency_key)
     is distinct from
     (old.id, old.payment_hash, old.invoice, old.user_id, old.connection_id, old.wallet_id, old.quote_id, old.amount_msats,
      old.rate_snapshot_id, old.description, old.description_hash, old.created_at, old.expires_at, old.node_key, old.payee_key,
      old.fee_limit_msats, old.keysend_preimage, old.metadata, old.idempotency_key)
     -- Only in the step to success may the debit be less than was held: the unused part of the fee limit goes back.
     or new.debit > old.debit or (new.debit < old.debit and new.state <> 'succeeded') then
    raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
  end if;
  return new;
end $$;

--
-- Name: post_entry(text, text, bigint[], bigint[], bigint, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.post_entry(entry_kind text, entry_key text, account_ids bigint[], amounts bigint[], for_payment bigint DEFAULT NULL::bigint, for_incoming_payment bigint DEFAULT NULL::bigint) RETURNS TABLE(entry_id bigint, replayed boolean)
    LANGUAGE plpgsql
    AS $$
declare
  entry_hash text;
  known record;
  posted bigint;
begin
  select coalesce(encode(sha256(convert_to(string_agg(account_id || ':' || amount, ',' order by account_id, amount), 'UTF8')), 'hex'), '')
    into entry_hash
    from unnest(account_ids, amounts) as line (account_id, amount);
  insert into journal_entries (kind, idempotency_key, content_hash, payment_id, incoming_payment_id)
    values (entry_kind, entry_key, entry_hash, for_payment, for_incoming_payment)
    on conflict (idempotency_key) do nothing
    returning id into entry_id;
  if entry_id is null then
    select id, kind, content_hash, payment_id, incoming_payment_id into known from journal_entries where idempotency_key = entry_key;
    if (known.content_hash, known.kind, known.payment_id, known.incoming_payment_id)
       is distinct from (entry_hash, entry_kind, for_payment, for_incoming_payment) then
      raise exception 'the key of entry % was used for other postings', known.id using errcode = 'LG002';
    end if;
    entry_id := known.id;
    replayed := true;
    return next;
    return;
  end if;
  perform 1 from ledger_accounts where id = any (account_ids) and balance is not null order by id for update;
  insert into postings (entry_id, account_id, currency_code, amount)
    select post_entry.entry_id, account.id, account.currency_code, line.amount
    from unnest(account_ids, amounts) as line (account_id, amount)
    join ledger_accounts account on account.id = line.account_id
    order by account.id;
  get diagnostics posted = row_count;
  if posted <> greatest(cardinality(account_ids), cardinality(amounts)) then
    raise exception 'entry % names an account that does not exist', entry_key using errcode = 'LG006';
  end if;
  replayed := false;
  return next;
end $$;

--
-- Name: postings_join_new_entries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.postings_join_new_entries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if not exists (select 1 from journal_entries where id = new.entry_id and xmin = pg_current_xact_id()::xid) then
    raise exception 'entry % is closed', new.entry_id using errcode = 'LG004';
  end if;
  return new;
end $$;

--
-- Name: postings_sum_to_zero(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.postings_sum_to_zero() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if not exists (select from postings where entry_id = new.entry_id and id > new.id) then
    if exists (select from postings where entry_id = new.entry_id group by currency_code having sum(amount) <> 0) then
      raise exception 'the postings of entry % do not sum to zero', new.entry_id using errcode = 'LG001';
    end if;
  end if;
  return null;
end $$;

--
-- Name: postings_update_balance(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.postings_update_balance() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: pull_faucet(text, bigint, bigint, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.pull_faucet(entry_key text, funded_wallet bigint, amount bigint, maximum bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  target ledger_accounts%rowtype;
begin
  perform 1 from ledger_accounts where wallet_id = funded_wallet order by id for update;
  if not exists (select 1 from journal_entries where idempotency_key = entry_key)
     and (select sum(balance) from ledger_accounts where wallet_id = funded_wallet) + amount > maximum then
    return false;
  end if;
  select * into target from ledger_accounts where wallet_id = funded_wallet and kind = 'available';
  perform post_entry('faucet', entry_key, array[faucet.id, target.id], array[-amount, amount])
    from ledger_accounts faucet where faucet.kind = 'faucet' and faucet.currency_code = target.currency_code;
  return true;
end $$;

--
-- Name: settle_internal_keysend(text, text, text, bigint, text, bigint, bigint, bigint, bigint, text, text, jsonb, text, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_internal_keysend(own_preimage text, payer text, through_connection text, from_wallet bigint, payee text, to_wallet bigint, msats bigint, debited bigint, credited_amount bigint, snapshot text, memo text, shown_metadata jsonb, client_key text, account_ids bigint[], amounts bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  paid_hash text := encode(sha256(decode(own_preimage, 'hex')), 'hex');
  new_id bigint;
begin
  perform 1 from users where id = payer for no key update;
  -- The caller looks up whatever was requested before, under this key or with this hash.
  if exists (select from payments where payment_hash = paid_hash and state <> 'failed'
             or user_id = payer and connection_id is not distinct from through_connection and idempotency_key = client_key and state <> 'failed') then
    return 'taken';
  end if;
  insert into invoices (payment_hash, preimage, user_id, wallet_id, amount_msats, description, metadata, settled_at, received_msats, credited)
    values (paid_hash, own_preimage, payee, to_wallet, msats, memo, shown_metadata, now(), msats,
            case when to_wallet <> from_wallet then credited_amount end)
    on conflict (payment_hash) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into payments (payment_hash, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id, description,
                        keysend_preimage, metadata, idempotency_key, state, preimage, settled_at)
    values (paid_hash, payer, through_connection, from_wallet, msats, debited, snapshot, memo, own_preimage, shown_metadata,
            client_key, 'succeeded', own_preimage, now())
    on conflict (payment_hash) where state <> 'failed' do nothing
    returning id into new_id;
  if new_id is null then
    -- An outgoing payment uses the hash: nothing of this is kept.
    raise exception 'the hash was used' using errcode = 'PY008';
  end if;
  if cardinality(account_ids) > 0 then
    perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
  end if;
  return 'paid';
end $$;

--
-- Name: settle_internal_payment(text, text, text, text, bigint, bigint, bigint, bigint, text, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_internal_payment(paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, msats bigint, debited bigint, snapshot text, account_ids bigint[], amounts bigint[]) RETURNS TABLE(outcome text, preimage text)
    LANGUAGE plpgsql
    AS $$
declare
  bill invoices%rowtype;
  earlier payments%rowtype;
  new_id bigint;
  credited_account bigint;
begin
  select * into bill from invoices where invoices.payment_hash = paid_hash for update;
  if not found or bill.invoice <> paid_invoice then
    outcome := 'unknown';
  elsif bill.settled_at is not null then
    select * into earlier from payments where payments.payment_hash = paid_hash and payments.state = 'succeeded';
    if earlier.user_id = payer then
      outcome := case when earlier.amount_msats = msats then 'repeated' else 'amount' end;
      preimage := case when earlier.amount_msats = msats then earlier.preimage end;
    else
      outcome := 'taken';
    end if;
  elsif bill.expires_at <= clock_timestamp() then
    outcome := 'expired';
  elsif bill.amount_msats is distinct from msats and bill.amount_msats is not null then
    outcome := 'amount';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, now())
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id);
      select id into credited_account from ledger_accounts
        where wallet_id = bill.wallet_id and kind = 'available';
    end if;
    update invoices
      set settled_at = now(), received_msats = msats, credited = amounts[array_position(account_ids, credited_account)]
      where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;

--
-- Name: settle_payment(bigint, text, bigint, bigint, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_payment(settled_id bigint, proof text, fee bigint, final_debit bigint, account_ids bigint[], amounts bigint[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  payment payments%rowtype;
  back bigint;
begin
  select * into payment from payments where id = settled_id for update;
  if payment.state = 'failed' then
    return 'failed';
  elsif payment.state = 'succeeded' then
    return 'already';
  end if;
  back := payment.debit - final_debit;
  update payments set state = 'succeeded', preimage = proof, network_fee_msats = fee, debit = final_debit, settled_at = now(),
                      lease_owner = null, lease_expires_at = null
    where id = settled_id;
  perform post_entry('settle', 'settle:' || settled_id,
      account_ids || h.id || case when back > 0 then array[a.id] else array[]::bigint[] end,
      amounts || -payment.debit || case when back > 0 then array[back] else array[]::bigint[] end, settled_id)
    from ledger_accounts a, ledger_accounts h
    where a.wallet_id = payment.wallet_id and a.kind = 'available' and h.wallet_id = payment.wallet_id and h.kind = 'held';
  if payment.notify_on_completion then
    perform pg_notify('payment_ended', settled_id::text);
  end if;
  return 'settled';
end $$;

--
-- Name: settled_rows_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settled_rows_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'a settled row of % never changes', tg_table_name using errcode = 'PY001';
end $$;

--
-- Name: suspend_incoming_payment(text, text, bigint, bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.suspend_incoming_payment(paid_hash text, from_node text, msats bigint, account_ids bigint[], amounts bigint[]) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  new_id bigint;
begin
  insert into incoming_payments (payment_hash, node_key, amount_msats) values (paid_hash, from_node, msats)
    on conflict (payment_hash) do nothing
    returning id into new_id;
  if new_id is null then
    return false;
  end if;
  perform post_entry('receive', 'receive:' || paid_hash, account_ids, amounts, null, new_id);
  return true;
end $$;

--
-- Name: terms_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.terms_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the terms of % never change', tg_table_name using errcode = 'PY006';
end $$;

--
-- Name: wallets_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wallets_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.id, new.user_id, new.currency_code) is distinct from (old.id, old.user_id, old.currency_code) then
    raise exception 'a wallet keeps its owner and its currency' using errcode = 'LG003';
  end if;
  return new;
end $$;

--
-- Name: wallets_open_accounts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wallets_open_accounts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into ledger_accounts (kind, currency_code, wallet_id, balance)
    values ('available', new.currency_code, new.id, 0), ('held', new.currency_code, new.id, 0);
  return null;
end $$;

--
-- Name: write_off_payment(text, text[], text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.write_off_payment(paid_hash text, present_peers text[], operator text, given_reason text) RETURNS TABLE(outcome text, payment_id bigint)
    LANGUAGE plpgsql
    AS $$
declare
  payment payments%rowtype;
begin
  -- The open one; of those that have ended, any.
  select * into payment from payments
    where payments.payment_hash = paid_hash and node_key is not null
    order by state in ('held', 'sending') desc, id desc limit 1 for update;
  payment_id := payment.id;
  outcome := case
    when payment.id is null then 'unknown'
    when payment.state in ('succeeded', 'failed') then 'ended'
    when payment.node_key = any (present_peers) then 'peer'
    -- `nobody`: no worker acts on it between two questions to the node.
    when payment.lease_owner <> 'nobody' and payment.lease_expires_at > clock_timestamp() then 'leased'
    else 'failed'
  end;
  if outcome = 'failed' then
    insert into payment_write_offs (payment_id, written_off_by, reason) values (payment.id, operator, given_reason);
    perform fail_payment(payment.id, 'gone');
  end if;
  return next;
end $$;

--
-- Name: receipts; Type: TABLE; Schema: lightning_node; Owner: -
--

CREATE TABLE lightning_node.receipts (
    id bigint NOT NULL,
    payer text NOT NULL,
    payment_hash text NOT NULL,
    attempt text NOT NULL,
    state text NOT NULL,
    amount_msats bigint,
    preimage text,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT receipts_failure_when_refused CHECK (((failure IS NOT NULL) = (state = 'refused'::text))),
    CONSTRAINT receipts_preimage_fits CHECK ((encode(sha256(decode(preimage, 'hex'::text)), 'hex'::text) = payment_hash)),
    CONSTRAINT receipts_received_whole CHECK (((state = 'received'::text) = ((amount_msats IS NOT NULL) AND (preimage IS NOT NULL)))),
    CONSTRAINT receipts_state_known CHECK ((state = ANY (ARRAY['received'::text, 'refused'::text])))
);

--
-- Name: receipts_id_seq; Type: SEQUENCE; Schema: lightning_node; Owner: -
--

ALTER TABLE lightning_node.receipts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME lightning_node.receipts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: reconciliation_items; Type: TABLE; Schema: lightning_node; Owner: -
--

CREATE TABLE lightning_node.reconciliation_items (
    id bigint NOT NULL,
    peer text NOT NULL,
    direction text NOT NULL,
    payment_hash text NOT NULL,
    attempt text NOT NULL,
    amount_msats bigint NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    accepted_at timestamp with time zone,
    accepted_by text,
    reason text,
    CONSTRAINT reconciliation_items_accepted_by_length CHECK (((char_length(accepted_by) >= 1) AND (char_length(accepted_by) <= 200))),
    CONSTRAINT reconciliation_items_accepted_whole CHECK ((((accepted_at IS NULL) = (accepted_by IS NULL)) AND ((accepted_at IS NULL) = (reason IS NULL)))),
    CONSTRAINT reconciliation_items_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT reconciliation_items_direction_known CHECK ((direction = ANY (ARRAY['sent'::text, 'received'::text]))),
    CONSTRAINT reconciliation_items_payment_hash_form CHECK ((payment_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT reconciliation_items_reason_length CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)))
);

--
-- Name: reconciliation_items_id_seq; Type: SEQUENCE; Schema: lightning_node; Owner: -
--

ALTER TABLE lightning_node.reconciliation_items ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME lightning_node.reconciliation_items_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: sends; Type: TABLE; Schema: lightning_node; Owner: -
--

CREATE TABLE lightning_node.sends (
    send_id bigint NOT NULL,
    payment_hash text NOT NULL,
    payer text NOT NULL,
    payee text NOT NULL,
    amount_msats bigint,
    fee_limit_msats bigint,
    fee_msats bigint,
    state text NOT NULL,
    preimage text,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT sends_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT sends_amounts_unless_failed CHECK ((((amount_msats IS NOT NULL) AND (fee_limit_msats IS NOT NULL)) OR (state = 'failed'::text))),
    CONSTRAINT sends_ended_when_done CHECK (((state = 'in_flight'::text) = (ended_at IS NULL))),
    CONSTRAINT sends_failure_when_failed CHECK (((failure IS NOT NULL) = (state = 'failed'::text))),
    CONSTRAINT sends_preimage_fits CHECK ((encode(sha256(decode(preimage, 'hex'::text)), 'hex'::text) = payment_hash)),
    CONSTRAINT sends_state_known CHECK ((state = ANY (ARRAY['in_flight'::text, 'succeeded'::text, 'failed'::text]))),
    CONSTRAINT sends_succeeded_with_preimage CHECK (((state = 'succeeded'::text) = ((preimage IS NOT NULL) AND (fee_msats IS NOT NULL))))
);

--
-- Name: _prisma_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public._prisma_migrations (
    id character varying(36) NOT NULL,
    checksum character varying(64) NOT NULL,
    finished_at timestamp with time zone,
    migration_name character varying(255) NOT NULL,
    logs text,
    rolled_back_at timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    applied_steps_count integer DEFAULT 0 NOT NULL
);

--
-- Name: address_payment_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.address_payment_keys (
    connection_id text NOT NULL,
    idempotency_key text NOT NULL,
    request_fingerprint text NOT NULL,
    payment_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT address_payment_keys_length CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)))
);

--
-- Name: connections; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connections (
    id text NOT NULL,
    user_id text NOT NULL,
    login_grant_id text NOT NULL,
    name text NOT NULL,
    permissions text[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT connections_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
    CONSTRAINT connections_permissions_given CHECK (((permissions IS NOT NULL) AND (cardinality(permissions) > 0)))
);

--
-- Name: incoming_payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.incoming_payments (
    id bigint NOT NULL,
    payment_hash text NOT NULL,
    node_key text,
    amount_msats bigint NOT NULL,
    invoice_id bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT incoming_payments_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT incoming_payments_payment_hash_form CHECK ((payment_hash ~ '^[0-9a-f]{64}$'::text))
);

--
-- Name: invoices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoices (
    id bigint NOT NULL,
    payment_hash text NOT NULL,
    preimage text NOT NULL,
    invoice text,
    user_id text NOT NULL,
    wallet_id bigint NOT NULL,
    amount_msats bigint,
    description text,
    description_hash text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    settled_at timestamp with time zone,
    received_msats bigint,
    credited bigint,
    metadata jsonb,
    fixed_credit bigint,
    rate_snapshot_id text,
    vasp_fee_msats bigint DEFAULT 0 NOT NULL,
    CONSTRAINT invoices_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT invoices_credited_when_settled CHECK (((credited IS NULL) OR ((credited > 0) AND (settled_at IS NOT NULL)))),
    CONSTRAINT invoices_fixed_rate_check CHECK ((((fixed_credit IS NULL) = (rate_snapshot_id IS NULL)) AND (fixed_credit > 0) AND ((credited IS NULL) OR (credited = fixed_credit)))),
    CONSTRAINT invoices_invoice_or_keysend CHECK (((invoice IS NULL) = (expires_at IS NULL))),
    CONSTRAINT invoices_keysend_is_settled CHECK (((invoice IS NOT NULL) OR (settled_at IS NOT NULL))),
    CONSTRAINT invoices_payment_hash_form CHECK ((payment_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT invoices_preimage_fits CHECK ((encode(sha256(decode(preimage, 'hex'::text)), 'hex'::text) = payment_hash)),
    CONSTRAINT invoices_received_enough CHECK ((received_msats >= COALESCE(amount_msats, (1)::bigint))),
    CONSTRAINT invoices_settled_with_amount CHECK (((settled_at IS NULL) = (received_msats IS NULL))),
    CONSTRAINT invoices_vasp_fee_check CHECK (((vasp_fee_msats = 0) OR ((vasp_fee_msats > 0) AND (fixed_credit IS NOT NULL))))
);

--
-- Name: journal_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.journal_entries (
    id bigint NOT NULL,
    kind text NOT NULL,
    idempotency_key text NOT NULL,
    content_hash text NOT NULL,
    payment_id bigint,
    incoming_payment_id bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT journal_entries_incoming_payment_by_kind CHECK (((incoming_payment_id IS NOT NULL) = (kind = 'receive'::text))),
    CONSTRAINT journal_entries_key_length CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
    CONSTRAINT journal_entries_kind_known CHECK ((kind = ANY (ARRAY['opening'::text, 'faucet'::text, 'exchange'::text, 'payment'::text, 'hold'::text, 'release'::text, 'settle'::text, 'receive'::text, 'loss'::text, 'reconciliation'::text]))),
    CONSTRAINT journal_entries_payment_by_kind CHECK (((payment_id IS NOT NULL) = (kind = ANY (ARRAY['payment'::text, 'hold'::text, 'release'::text, 'settle'::text, 'loss'::text]))))
);

--
-- Name: ledger_accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ledger_accounts (
    id bigint NOT NULL,
    kind text NOT NULL,
    currency_code text NOT NULL,
    wallet_id bigint,
    balance bigint,
    node_key text,
    CONSTRAINT ledger_accounts_balance_by_kind CHECK (((balance IS NOT NULL) = (kind = ANY (ARRAY['available'::text, 'held'::text, 'node'::text])))),
    CONSTRAINT ledger_accounts_balance_not_negative CHECK (((balance >= 0) OR (kind = 'node'::text))),
    CONSTRAINT ledger_accounts_kind_known CHECK ((kind = ANY (ARRAY['available'::text, 'held'::text, 'lightning'::text, 'fx'::text, 'fees'::text, 'rounding'::text, 'faucet'::text, 'suspense'::text, 'node'::text]))),
    CONSTRAINT ledger_accounts_node_key_by_kind CHECK (((node_key IS NOT NULL) = (kind = 'node'::text))),
    CONSTRAINT ledger_accounts_node_key_form CHECK (((kind <> 'node'::text) OR ((node_key ~ '^0[23][0-9a-f]{64}$'::text) AND (currency_code = 'SAT'::text)))),
    CONSTRAINT ledger_accounts_wallet_by_kind CHECK (((wallet_id IS NOT NULL) = (kind = ANY (ARRAY['available'::text, 'held'::text]))))
);

--
-- Name: postings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.postings (
    id bigint NOT NULL,
    entry_id bigint NOT NULL,
    account_id bigint NOT NULL,
    currency_code text NOT NULL,
    amount bigint NOT NULL,
    balance_after bigint,
    CONSTRAINT postings_amount_not_zero CHECK ((amount <> 0))
);

--
-- Name: incoming_payment_books; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.incoming_payment_books AS
 SELECT r.id,
    r.payment_hash,
    r.amount_msats,
    r.invoice_id,
    moved.credit,
    moved.from_node,
    ((moved.entries = 1) AND ((r.node_key IS NULL) OR (moved.from_node = ((- r.amount_msats))::numeric)) AND
        CASE
            WHEN (r.invoice_id IS NULL) THEN (moved.user_postings = 0)
            ELSE ((i.settled_at IS NOT NULL) AND (i.received_msats = r.amount_msats) AND (i.payment_hash = r.payment_hash) AND (moved.user_postings = 1) AND (moved.credit = (COALESCE(i.credited, (0)::bigint))::numeric))
        END) AS fits
   FROM ((public.incoming_payments r
     LEFT JOIN LATERAL ( SELECT invoices.id,
            invoices.payment_hash,
            invoices.preimage,
            invoices.invoice,
            invoices.user_id,
            invoices.wallet_id,
            invoices.amount_msats,
            invoices.description,
            invoices.description_hash,
            invoices.created_at,
            invoices.expires_at,
            invoices.settled_at,
            invoices.received_msats,
            invoices.credited,
            invoices.metadata,
            invoices.fixed_credit,
            invoices.rate_snapshot_id,
            invoices.vasp_fee_msats,
            ( SELECT a.id
                   FROM public.ledger_accounts a
                  WHERE ((a.wallet_id = invoices.wallet_id) AND (a.kind = 'available'::text))) AS account_id
           FROM public.invoices
          WHERE (invoices.id = r.invoice_id)
         OFFSET 0) i ON (true))
     CROSS JOIN LATERAL ( SELECT count(DISTINCT e.id) AS entries,
            COALESCE(sum(l.amount) FILTER (WHERE (l.account_id = i.account_id)), (0)::numeric) AS credit,
            count(*) FILTER (WHERE ((l.balance_after IS NOT NULL) AND (l.node_key IS NULL))) AS user_postings,
            COALESCE(sum(l.amount) FILTER (WHERE (l.node_key = r.node_key)), (0)::numeric) AS from_node
           FROM (public.journal_entries e
             CROSS JOIN LATERAL ( SELECT postings.account_id,
                    postings.amount,
                    postings.balance_after,
                    ( SELECT a.node_key
                           FROM public.ledger_accounts a
                          WHERE (a.id = postings.account_id)) AS node_key
                   FROM public.postings
                  WHERE (postings.entry_id = e.id)
                 OFFSET 0) l)
          WHERE (e.incoming_payment_id = r.id)) moved);

--
-- Name: incoming_payments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.incoming_payments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.incoming_payments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: invoices_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.invoices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.invoices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: journal_entries_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.journal_entries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.journal_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: ledger_accounts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.ledger_accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: lightning_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lightning_cursors (
    node_key text NOT NULL,
    cursor text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: login_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.login_grants (
    id text NOT NULL,
    user_id text NOT NULL,
    session_id text,
    app_host text,
    app_client_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    exchanges integer DEFAULT 0 NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT login_grants_app_client_id_length CHECK ((char_length(app_client_id) <= 200)),
    CONSTRAINT login_grants_app_host_length CHECK ((char_length(app_host) <= 255)),
    CONSTRAINT login_grants_exchanges_limited CHECK (((exchanges >= 0) AND (exchanges <= 20)))
);

--
-- Name: loss_acknowledgements; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.loss_acknowledgements (
    payment_id bigint NOT NULL,
    acknowledged_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payments (
    id bigint NOT NULL,
    payment_hash text NOT NULL,
    invoice text,
    user_id text NOT NULL,
    connection_id text,
    wallet_id bigint NOT NULL,
    quote_id bigint,
    amount_msats bigint NOT NULL,
    network_fee_msats bigint DEFAULT 0 NOT NULL,
    fee_limit_msats bigint DEFAULT 0 NOT NULL,
    debit bigint NOT NULL,
    rate_snapshot_id text NOT NULL,
    description text,
    description_hash text,
    state text NOT NULL,
    preimage text,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    settled_at timestamp with time zone,
    node_key text,
    payee_key text,
    keysend_preimage text,
    metadata jsonb,
    idempotency_key text,
    lease_owner text,
    lease_expires_at timestamp with time zone,
    notify_on_completion boolean DEFAULT false NOT NULL,
    not_found_at timestamp with time zone,
    not_found_by text,
    CONSTRAINT payments_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT payments_debit_positive CHECK ((debit > 0)),
    CONSTRAINT payments_ended_without_lease CHECK (((lease_owner IS NULL) OR (state = ANY (ARRAY['held'::text, 'sending'::text])))),
    CONSTRAINT payments_failure_when_failed CHECK (((failure IS NULL) OR (state = 'failed'::text))),
    CONSTRAINT payments_fee_limit_not_negative CHECK ((fee_limit_msats >= 0)),
    CONSTRAINT payments_idempotency_key_length CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
    CONSTRAINT payments_keysend_or_invoice CHECK (((keysend_preimage IS NULL) OR (invoice IS NULL))),
    CONSTRAINT payments_keysend_preimage_fits CHECK ((encode(sha256(decode(keysend_preimage, 'hex'::text)), 'hex'::text) = payment_hash)),
    CONSTRAINT payments_lease_whole CHECK (((lease_owner IS NULL) = (lease_expires_at IS NULL))),
    CONSTRAINT payments_network_fee_not_negative CHECK ((network_fee_msats >= 0)),
    CONSTRAINT payments_node_and_payee CHECK (((node_key IS NULL) = (payee_key IS NULL))),
    CONSTRAINT payments_not_found_since CHECK (((not_found_by IS NULL) OR (not_found_at IS NOT NULL))),
    CONSTRAINT payments_payment_hash_form CHECK ((payment_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT payments_preimage_fits CHECK ((encode(sha256(decode(preimage, 'hex'::text)), 'hex'::text) = payment_hash)),
    CONSTRAINT payments_settled_when_done CHECK (((state = 'succeeded'::text) = (settled_at IS NOT NULL))),
    CONSTRAINT payments_state_known CHECK ((state = ANY (ARRAY['held'::text, 'sending'::text, 'succeeded'::text, 'failed'::text]))),
    CONSTRAINT payments_succeeded_with_preimage CHECK (((state = 'succeeded'::text) = (preimage IS NOT NULL)))
);

--
-- Name: payment_books; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.payment_books AS
 SELECT p.id,
    p.payment_hash,
    p.state,
    p.debit,
    moved.available,
    moved.held,
    moved.credit,
    ((moved.available = (
        CASE
            WHEN ((p.state = 'failed'::text) OR ((p.state = 'succeeded'::text) AND (p.wallet_id = i.wallet_id))) THEN (0)::bigint
            ELSE (- p.debit)
        END)::numeric) AND (moved.held = (
        CASE
            WHEN (p.state = ANY (ARRAY['held'::text, 'sending'::text])) THEN p.debit
            ELSE (0)::bigint
        END)::numeric)) AS payer_fits,
    ((moved.others = 0) AND
        CASE
            WHEN (p.node_key IS NOT NULL) THEN (moved.to_node = (
            CASE
                WHEN ((p.state = 'succeeded'::text) OR (moved.losses > 0)) THEN p.amount_msats
                ELSE (0)::bigint
            END)::numeric)
            WHEN ((i.id IS NULL) OR (p.state <> 'succeeded'::text)) THEN (moved.credits = 0)
            WHEN ((i.settled_at IS NULL) OR (i.received_msats <> p.amount_msats)) THEN false
            WHEN (i.wallet_id = p.wallet_id) THEN (i.credited IS NULL)
            ELSE ((moved.credits = 1) AND (moved.credit = (COALESCE(i.credited, (0)::bigint))::numeric))
        END) AS payee_fits
   FROM (((public.payments p
     LEFT JOIN LATERAL ( SELECT invoices.id,
            invoices.wallet_id,
            invoices.settled_at,
            invoices.received_msats,
            invoices.credited,
            ( SELECT a.id
                   FROM public.ledger_accounts a
                  WHERE ((a.wallet_id = invoices.wallet_id) AND (a.kind = 'available'::text))) AS account_id
           FROM public.invoices
          WHERE ((invoices.payment_hash = p.payment_hash) AND (NOT (invoices.invoice IS DISTINCT FROM p.invoice)) AND (p.node_key IS NULL))
         OFFSET 0) i ON (true))
     CROSS JOIN LATERAL ( SELECT ( SELECT a.id
                   FROM public.ledger_accounts a
                  WHERE ((a.wallet_id = p.wallet_id) AND (a.kind = 'available'::text))) AS available_id,
            ( SELECT a.id
                   FROM public.ledger_accounts a
                  WHERE ((a.wallet_id = p.wallet_id) AND (a.kind = 'held'::text))) AS held_id,
            ( SELECT a.id
                   FROM public.ledger_accounts a
                  WHERE (a.node_key = p.node_key)) AS node_account_id
         OFFSET 0) payer)
     CROSS JOIN LATERAL ( SELECT COALESCE(sum(l.amount) FILTER (WHERE (l.account_id = payer.available_id)), (0)::numeric) AS available,
            COALESCE(sum(l.amount) FILTER (WHERE (l.account_id = payer.held_id)), (0)::numeric) AS held,
            COALESCE(sum(l.amount) FILTER (WHERE ((l.account_id = i.account_id) AND (l.account_id <> payer.available_id))), (0)::numeric) AS credit,
            count(*) FILTER (WHERE ((l.account_id = i.account_id) AND (l.account_id <> payer.available_id))) AS credits,
            COALESCE(sum(l.amount) FILTER (WHERE (l.account_id = payer.node_account_id)), (0)::numeric) AS to_node,
            count(*) FILTER (WHERE (e.kind = 'loss'::text)) AS losses,
            count(*) FILTER (WHERE ((l.account_id <> ALL (ARRAY[payer.available_id, payer.held_id])) AND (l.account_id IS DISTINCT FROM i.account_id) AND (l.account_id IS DISTINCT FROM payer.node_account_id))) AS others
           FROM (public.journal_entries e
             CROSS JOIN LATERAL ( SELECT postings.account_id,
                    postings.amount
                   FROM public.postings
                  WHERE ((postings.entry_id = e.id) AND (postings.balance_after IS NOT NULL))
                 OFFSET 0) l)
          WHERE (e.payment_id = p.id)) moved);

--
-- Name: payment_write_offs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_write_offs (
    payment_id bigint NOT NULL,
    written_off_by text NOT NULL,
    reason text NOT NULL,
    written_off_at timestamp with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp with time zone,
    CONSTRAINT payment_write_offs_reason_length CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500))),
    CONSTRAINT payment_write_offs_written_off_by_length CHECK (((char_length(written_off_by) >= 1) AND (char_length(written_off_by) <= 200)))
);

--
-- Name: payments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.payments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.payments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: postings_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.postings ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.postings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: quotes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quotes (
    id bigint NOT NULL,
    payment_hash text NOT NULL,
    invoice text NOT NULL,
    user_id text NOT NULL,
    connection_id text,
    wallet_id bigint NOT NULL,
    receiver_address text NOT NULL,
    protocol text NOT NULL,
    locked_side text NOT NULL,
    total_sending_amount bigint NOT NULL,
    debit bigint NOT NULL,
    fees bigint NOT NULL,
    vasp_fee bigint NOT NULL,
    receiving_currency jsonb NOT NULL,
    total_receiving_amount bigint NOT NULL,
    multiplier double precision NOT NULL,
    amount_msats bigint NOT NULL,
    fee_limit_msats bigint NOT NULL,
    rate_snapshot_id text NOT NULL,
    comment text,
    payee_data jsonb,
    callback_id text,
    remote_callback_url text,
    uma_invoice text,
    uma_invoice_uuid uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT quotes_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT quotes_comment_length CHECK ((octet_length(comment) <= 1024)),
    CONSTRAINT quotes_debit_positive CHECK ((debit > 0)),
    CONSTRAINT quotes_fee_limit_not_negative CHECK ((fee_limit_msats >= 0)),
    CONSTRAINT quotes_fees_not_negative CHECK ((fees >= 0)),
    CONSTRAINT quotes_locked_side_known CHECK ((locked_side = ANY (ARRAY['sending'::text, 'receiving'::text]))),
    CONSTRAINT quotes_multiplier_positive CHECK ((multiplier > (0)::double precision)),
    CONSTRAINT quotes_payee_data_form CHECK ((jsonb_typeof(payee_data) = 'object'::text)),
    CONSTRAINT quotes_payment_hash_form CHECK ((payment_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT quotes_protocol_known CHECK ((protocol = ANY (ARRAY['own'::text, 'uma-1'::text, 'uma-0'::text, 'lnurl'::text]))),
    CONSTRAINT quotes_receiver_address_length CHECK ((length(receiver_address) <= 320)),
    CONSTRAINT quotes_receiving_currency_form CHECK ((jsonb_typeof(receiving_currency) = 'object'::text)),
    CONSTRAINT quotes_total_receiving_amount_positive CHECK ((total_receiving_amount > 0)),
    CONSTRAINT quotes_total_sending_amount_positive CHECK ((total_sending_amount > 0)),
    CONSTRAINT quotes_uma_invoice_has_uuid CHECK (((uma_invoice IS NULL) = (uma_invoice_uuid IS NULL))),
    CONSTRAINT quotes_uma_invoice_length CHECK ((length(uma_invoice) <= 2000)),
    CONSTRAINT quotes_vasp_fee_in_debit CHECK (((vasp_fee >= 0) AND (vasp_fee < debit)))
);

--
-- Name: quotes_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.quotes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.quotes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: rate_snapshots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_snapshots (
    id text NOT NULL,
    rates jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id text NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);

--
-- Name: uma_callback_inbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_callback_inbox (
    id bigint NOT NULL,
    callback_id text NOT NULL,
    domain text NOT NULL,
    body jsonb NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: uma_callback_inbox_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.uma_callback_inbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.uma_callback_inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: uma_callback_outbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_callback_outbox (
    id bigint NOT NULL,
    payment_hash text NOT NULL,
    direction text NOT NULL,
    url text NOT NULL,
    amount_msats bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    delivered_at timestamp with time zone,
    given_up_at timestamp with time zone,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT uma_callback_outbox_amount_positive CHECK ((amount_msats > 0)),
    CONSTRAINT uma_callback_outbox_direction_known CHECK ((direction = ANY (ARRAY['sent'::text, 'received'::text])))
);

--
-- Name: uma_callback_outbox_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.uma_callback_outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.uma_callback_outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: uma_certificates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_certificates (
    purpose text NOT NULL,
    public_key text NOT NULL,
    chain_pem text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT uma_certificates_purpose_known CHECK ((purpose = ANY (ARRAY['signing'::text, 'encryption'::text])))
);

--
-- Name: uma_invoices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_invoices (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    user_id text NOT NULL,
    wallet_id bigint NOT NULL,
    amount bigint NOT NULL,
    max_payments integer DEFAULT 1 NOT NULL,
    sender_address text,
    memo text,
    encoded text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT uma_invoices_amount_positive CHECK ((amount > 0)),
    CONSTRAINT uma_invoices_max_payments_limited CHECK (((max_payments >= 1) AND (max_payments <= 1000))),
    CONSTRAINT uma_invoices_memo_length CHECK ((octet_length(memo) <= 639))
);

--
-- Name: uma_invoices_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.uma_invoices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.uma_invoices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: uma_nonces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_nonces (
    domain text NOT NULL,
    nonce text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT uma_nonces_nonce_length CHECK ((length(nonce) <= 64))
);

--
-- Name: uma_pay_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_pay_requests (
    invoice_id bigint NOT NULL,
    protocol text NOT NULL,
    receiver_address text NOT NULL,
    payer_address text,
    payer_data jsonb,
    travel_rule bytea,
    comment text,
    uma_invoice_id bigint,
    callback_id text,
    remote_callback_url text,
    payer_network text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT uma_pay_requests_comment_length CHECK ((octet_length(comment) <= 1024)),
    CONSTRAINT uma_pay_requests_payer_address_length CHECK ((length(payer_address) <= 320)),
    CONSTRAINT uma_pay_requests_payer_data_form CHECK ((jsonb_typeof(payer_data) = 'object'::text)),
    CONSTRAINT uma_pay_requests_payer_network_length CHECK ((length(payer_network) <= 64)),
    CONSTRAINT uma_pay_requests_protocol_known CHECK ((protocol = ANY (ARRAY['own'::text, 'uma-1'::text, 'uma-0'::text, 'lnurl'::text]))),
    CONSTRAINT uma_pay_requests_travel_rule_length CHECK ((octet_length(travel_rule) <= 65536))
);

--
-- Name: uma_remote_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_remote_keys (
    domain text NOT NULL,
    document jsonb NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT uma_remote_keys_document_form CHECK ((jsonb_typeof(document) = 'object'::text)),
    CONSTRAINT uma_remote_keys_domain_length CHECK ((length(domain) <= 255))
);

--
-- Name: uma_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uma_requests (
    id bigint NOT NULL,
    user_id text NOT NULL,
    receiver_address text NOT NULL,
    uuid uuid NOT NULL,
    encoded text NOT NULL,
    amount bigint NOT NULL,
    currency jsonb NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT uma_requests_amount_positive CHECK ((amount > 0)),
    CONSTRAINT uma_requests_currency_form CHECK ((jsonb_typeof(currency) = 'object'::text)),
    CONSTRAINT uma_requests_state_known CHECK ((state = ANY (ARRAY['open'::text, 'declined'::text])))
);

--
-- Name: uma_requests_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.uma_requests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.uma_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id text NOT NULL,
    display_name text NOT NULL,
    password_hash text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 80))),
    CONSTRAINT users_id_form CHECK ((id ~ '^[a-z0-9_.+-]{1,63}$'::text)),
    CONSTRAINT users_status_known CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

--
-- Name: wallets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets (
    id bigint NOT NULL,
    user_id text NOT NULL,
    currency_code text NOT NULL,
    "position" integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT wallets_currency_code_form CHECK ((currency_code ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT wallets_position_from_zero CHECK (("position" >= 0))
);

--
-- Name: wallets_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.wallets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.wallets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Data for Name: receipts; Type: TABLE DATA; Schema: lightning_node; Owner: -
--

INSERT INTO lightning_node.receipts OVERRIDING SYSTEM VALUE VALUES (1, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 'ca64708da350a6f6840e8100e13bd54f08c8b9dde9689441b8b3dda539e7725c', '1', 'received', 3000000, '3c54ae19f9ab1b90aca04f3b7d7caa5be3a4d794a090569c14ec95857ae3a9e9', NULL, '2026-11-24 07:57:47.179691-05');
INSERT INTO lightning_node.receipts OVERRIDING SYSTEM VALUE VALUES (2, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '5fc691f5eaec29d99b830d73042ea73203301381207958a346815cece15389c0', '2', 'received', 1000000, 'aac1596057ea04b16f41186ec46ce60c8b38d039d7b705f383bd352bb51a371a', NULL, '2026-11-24 07:57:47.515752-05');
INSERT INTO lightning_node.receipts OVERRIDING SYSTEM VALUE VALUES (3, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2', '3', 'received', 3000000, '3573e7a372655441b9ba541d68e7f39bba9a050ac333648080c90e28abc9d883', NULL, '2026-11-24 07:57:47.961063-05');
INSERT INTO lightning_node.receipts OVERRIDING SYSTEM VALUE VALUES (4, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 'd31f0fededfd1a506f6529e4f7a028f4cf446e5c4c9965203643c18c029954e8', '4', 'received', 3000000, '5a148126bdb6cb67a0d09b4b7cc971be8e5bff467c475ab5b19b1532c7001073', NULL, '2026-11-24 07:57:48.047008-05');
INSERT INTO lightning_node.receipts OVERRIDING SYSTEM VALUE VALUES (5, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 'f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68', '5', 'received', 2717392, '24d644c1312b27c83892d0b398515016c8a4f097e012b5086c87b9fa9ccc403d', NULL, '2026-11-24 07:57:48.179214-05');

--
-- Data for Name: reconciliation_items; Type: TABLE DATA; Schema: lightning_node; Owner: -
--

INSERT INTO lightning_node.reconciliation_items OVERRIDING SYSTEM VALUE VALUES (1, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 'received', '149cadc91a67528f25c40a06504b9011ff861512fa38cde2ae897647bcdca632', '1', 7000, '2026-11-24 07:57:49.071677-05', '2026-11-24 07:57:49.073719-05', 'operator', 'the west has shown its books');
INSERT INTO lightning_node.reconciliation_items OVERRIDING SYSTEM VALUE VALUES (2, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 'received', '1ff0d50e85fbeb56ccac5dbced50f1082f66cc39e4058ce98cc8cfc4dbf469fb', '2', 7000, '2026-11-24 07:57:53.296724-05', NULL, NULL, NULL);

--
-- Data for Name: sends; Type: TABLE DATA; Schema: lightning_node; Owner: -
--

INSERT INTO lightning_node.sends VALUES (3, 'b83bb6df70dd7815c23c48de7a28ad3ec5e15472c1fa457302ef467203f00d9d', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 7000000, 70000, 0, 'succeeded', '356f1122509f8292e6f463cec26eb13eefd4d9c48bda38a94a6711381aed8e49', NULL, '2026-11-24 07:57:46.778503-05', '2026-11-24 07:57:46.916306-05');
INSERT INTO lightning_node.sends VALUES (4, 'cc590210e95defa6d5fc07351a577df89b20fb2cbe4ed6a50f2408b0415e8412', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 1000000, 10000, 0, 'succeeded', '694528445a02d4d548afdd352242a5580b2b7b64e2e63347db4c09906bee3d15', NULL, '2026-11-24 07:57:47.316248-05', '2026-11-24 07:57:47.475372-05');
INSERT INTO lightning_node.sends VALUES (5, '47a5a4228012580340760d721cc5deb556ec38437a043f10f070d5612fcfbe72', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 2000000, 20000, NULL, 'failed', NULL, 'unknown', '2026-11-24 07:57:47.536215-05', '2026-11-24 07:57:47.543625-05');
INSERT INTO lightning_node.sends VALUES (6, '36024742a5d46f358ac083b0a3543251f32d66d905854b5e42a30bd1a8b553e4', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 5434783, 0, 0, 'succeeded', 'de3724524b796fd5ae28d38bf19e48bbbc0873f251bd891799a5c1d4630c409d', NULL, '2026-11-24 07:57:47.61927-05', '2026-11-24 07:57:47.627032-05');
INSERT INTO lightning_node.sends VALUES (8, '14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 0, 0, 'succeeded', '0c9a6eba71b72685613611e08cbe41e77b47e7699ae99a12f416736adb405d6c', NULL, '2026-11-24 07:57:47.745371-05', '2026-11-24 07:57:47.75987-05');
INSERT INTO lightning_node.sends VALUES (9, 'b557e000c4782051dea3569ea6a3e7a58a37097f322f3cabd57c7331a927133b', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 0, 0, 'succeeded', '50a10d5397dda3484b2f80d65c150a731758c81006c663302f825c9c7726c8d7', NULL, '2026-11-24 07:57:47.802097-05', '2026-11-24 07:57:47.835949-05');
INSERT INTO lightning_node.sends VALUES (10, '98f21fa84393eaa0b3f1eeb5bb58324c245fbe144a96491568fce76be2bb03bb', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 2717392, 0, 0, 'succeeded', 'd2a5c985179a948cf7c5d80f5f7826a051ce5d6e897c2c5995a9a38b532205b2', NULL, '2026-11-24 07:57:48.254924-05', '2026-11-24 07:57:48.280266-05');
INSERT INTO lightning_node.sends VALUES (11, 'c139173f713109451eb0e32147fab1258b8dadbb647a83693ab57e169913edf3', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 2173914, 0, 0, 'succeeded', '74bb604e9648e13e1174f45d53a09d97096ad39f210c8ca2ba74d8c633faea01', NULL, '2026-11-24 07:57:48.458636-05', '2026-11-24 07:57:48.481885-05');
INSERT INTO lightning_node.sends VALUES (12, '9e00aaf6343ede1b7e7d845454ad41dbc64e66fa9c5a37c5df2bdb016ace350c', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 4000000, 40000, 0, 'succeeded', 'c40d8705a0b1a3c40f5128c5d457bc78179e1069a97a8fda36e4c2b716ca6627', NULL, '2026-11-24 07:57:49.155583-05', '2026-11-24 07:57:49.163911-05');
INSERT INTO lightning_node.sends VALUES (13, 'f0acc7eaff04337e02b9bed805de08c93476b832926d46db0f8f3043f62fbd53', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 4000000, 40000, NULL, 'failed', NULL, 'no-route', '2026-11-24 07:57:49.196199-05', '2026-11-24 07:57:49.214883-05');
INSERT INTO lightning_node.sends VALUES (15, '03475d2c5f3b06cf4306e14b5aa8ba5ffb4d4ff877e381839f8677095a7ae1f1', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 8000000, 80000, NULL, 'in_flight', NULL, NULL, '2026-11-24 07:57:50.607626-05', NULL);
INSERT INTO lightning_node.sends VALUES (14, '1e5c14922cbc2514bb44704bd8bf990047ef7e1c0c0174e754b65ba219f6d16d', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 6000000, 60000, 0, 'succeeded', 'a8e93c759caeebb9786a94a052ec647128ab43125937d451d198d6637b3f1f5e', NULL, '2026-11-24 07:57:49.233819-05', '2026-11-24 07:57:51.758557-05');
INSERT INTO lightning_node.sends VALUES (16, '52d0bc5b32ce00c10839e4bc7f0d6d93369aaca6630af2301639a4d73735a6f9', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', 9000000, 90000, NULL, 'in_flight', NULL, NULL, '2026-11-24 07:57:51.862275-05', NULL);
INSERT INTO lightning_node.sends VALUES (17, '255c6d1d9f6ba9b13618d6a81ec8d5059fa7c87617cf22fea3fd09c0b932d996', '02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 0, 0, 'succeeded', 'a04b1e0a5c5b8156fd7dc032eb854204a65ed2feb47e8c9b5001ed9ade55ca87', NULL, '2026-11-24 07:57:53.664384-05', '2026-11-24 07:57:53.816128-05');

--
-- Data for Name: _prisma_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public._prisma_migrations VALUES ('59eccf3b-e872-4d50-85eb-972a9239ce96', '2671d666d0bbfe09aba9c0ab877930f3e371e574ebb7812ed241067e5dde3af4', '2026-11-24 07:57:44.027048-05', '20261124000000_baseline', NULL, NULL, '2026-11-24 07:57:44.027048-05', 1);

--
-- Data for Name: address_payment_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.address_payment_keys VALUES ('b2682b1f-1f89-4534-8684-529573d9d9db', 'order-1', '["$yuki@localhost:40797","USD","300","JPY"]', '14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb', '2026-11-24 07:57:47.707748-05');

--
-- Data for Name: connections; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.connections VALUES ('943db074-21be-4748-8fb0-ea5b7f2d7433', 'alice', '0e70dc80-2f31-4304-930a-f7543056643a', 'Budget app', '{get_info,get_budget,get_balance}', '2026-11-24 07:57:46.237754-05', NULL, NULL, NULL);
INSERT INTO public.connections VALUES ('dd2a8ee4-5d72-4eec-baf9-3e797fa60124', 'alice', 'baa7c36a-2343-45f0-9a9f-745a4b4c4484', 'Connection of 24 November 2026, 12:57:46 UTC', '{get_info,get_budget,get_balance,make_invoice,lookup_invoice,list_transactions,pay_invoice,pay_keysend,lookup_user,fetch_quote,execute_quote,pay_to_address}', '2026-11-24 07:57:46.250656-05', NULL, '2026-11-24 07:57:46.310259-05', NULL);
INSERT INTO public.connections VALUES ('f461dfc7-85f4-4ad5-b6d8-7d2b99daea38', 'yuki', 'ce9c6896-88fc-4fc5-be6b-8b0893d58fac', 'Connection of 24 November 2026, 12:57:46 UTC', '{get_info,get_budget,get_balance}', '2026-11-24 07:57:46.334524-05', NULL, '2026-11-24 07:57:46.340185-05', NULL);
INSERT INTO public.connections VALUES ('b2682b1f-1f89-4534-8684-529573d9d9db', 'alice', '795b85ad-20c2-48f9-8f89-f3a0a9da803f', 'Connection of 24 November 2026, 12:57:46 UTC', '{get_info,get_budget,get_balance,make_invoice,lookup_invoice,list_transactions,pay_invoice,pay_keysend,lookup_user,fetch_quote,execute_quote,pay_to_address}', '2026-11-24 07:57:46.219123-05', NULL, NULL, '2026-11-24 07:57:46.470439-05');
INSERT INTO public.connections VALUES ('2ffe88f6-cf8f-47d4-bcb2-590c6ef89c6a', 'bob', 'af401767-b012-468a-a2dc-52b195acf917', 'Connection of 24 November 2026, 12:57:46 UTC', '{get_info,get_budget,get_balance,make_invoice,lookup_invoice,list_transactions,pay_invoice,pay_keysend,lookup_user,fetch_quote,execute_quote,pay_to_address}', '2026-11-24 07:57:46.27427-05', NULL, NULL, '2026-11-24 07:57:47.294788-05');
INSERT INTO public.connections VALUES ('6e9e908c-0f0a-463b-92da-7281c0f63047', 'alice', '632dd5ed-39e6-4e93-acce-c2f0eabfd7e5', 'Connection of 24 November 2026, 12:57:49 UTC', '{get_info,get_budget,pay_invoice}', '2026-11-24 07:57:49.06054-05', NULL, NULL, '2026-11-24 07:57:49.092921-05');
INSERT INTO public.connections VALUES ('f62110d4-c3fe-4c2f-8c96-24bfc08ef9bd', 'bob', 'b6170dfb-6cc8-40d2-ae33-fec7eb959ed0', 'Connection of 24 November 2026, 12:57:51 UTC', '{get_info,get_budget,pay_invoice}', '2026-11-24 07:57:51.810269-05', NULL, NULL, '2026-11-24 07:57:51.816463-05');

--
-- Data for Name: incoming_payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (1, 'ca64708da350a6f6840e8100e13bd54f08c8b9dde9689441b8b3dda539e7725c', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 6, '2026-11-24 07:57:47.179691-05');
INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (2, '5fc691f5eaec29d99b830d73042ea73203301381207958a346815cece15389c0', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 1000000, 7, '2026-11-24 07:57:47.515752-05');
INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (3, '136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 9, '2026-11-24 07:57:47.961063-05');
INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (4, 'd31f0fededfd1a506f6529e4f7a028f4cf446e5c4c9965203643c18c029954e8', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 3000000, 10, '2026-11-24 07:57:48.047008-05');
INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (5, 'f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', 2717392, 11, '2026-11-24 07:57:48.179214-05');
INSERT INTO public.incoming_payments OVERRIDING SYSTEM VALUE VALUES (6, '4d5e1654214849ea1917e276d7c3d5a8c838297175b7a33a44c5b2feff1ba368', NULL, 5000, NULL, '2026-11-24 07:57:53.423293-05');

--
-- Data for Name: invoices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (1, '1f54689586c2975615c5b0e166b31a9375f9fe050346e4af7e1f3add44c72d5d', 'df8e89e572bf756779cef110cd7c44145c502fab4d35ef84e2243b2a139f2bbc', 'lnbcrt50u1p4stzw2pp5ra2x39vxc2t4v9w9krskdvc6jd6lnls9qdrwftm7ruad63x894wssp5hksdwyhn5jgl0uvvm0vpqw4w7vtymx8vlqhe2nkrmqlw77pdusgqdqj23mk7grrdanxvet9wvxqrrsscqzzs9qyysgq3u0f5v9qfe9wjy0da43uvck87vyqlyl78zar92z8f8v85vsauf2xw33j3cqwnxj049ev7dp3842u0pu4u2ufupzg68ymz7xr0qzlhggq6jxhq7', 'bob', 4, 5000000, 'Two coffees', NULL, '2026-11-24 07:57:46-05', '2026-11-24 08:57:46-05', '2026-11-24 07:57:46.482246-05', 5000000, 5000000, NULL, NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (2, 'bebda59b910a6d3ac7f4b77b398edd2657c484407bf7bac818aa23f61d0a32d5', '45cc9898fcf03e5c840ee19a0663e958e397ddceb7a06c8614e64a943a228957', 'lnbcrt1p4stzw2pp5h676txu3pfkn43l5kaannrkayetufpzq00mm4jqc4g3lv8g2xt2ssp5c08rrhljamc7clu9a65uwaxp6qhsmsuh5v6a4zrtxywym3zfvvhsdqv235hqgr2v9eqxqyz5vqcqzzs9qyysgq4sd0y6j7m52jpg4jkqupg46xxxgew0cksyy7xyd5wcuffhup3c93vt2dsy0dtjam8tjwaskqyvjm9gddx42h97zpjnxld32t4y26xhsqflwcvd', 'bob', 4, NULL, 'Tip jar', NULL, '2026-11-24 07:57:46-05', '2026-11-25 07:57:46-05', NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (3, '6d407b881916b0d63c81ef6c41af7a6e91dab1b695344ca0c1d5b68d096a4606', 'a7d98f80b16cccfd89328da04ce3eb7c8d078174519d1b437062afba38294b3d', 'lnbcrt10u1p4stzw2pp5d4q8hzqez6cdv0ypaakyrtm6d6ga4vdkj56yegxp6kmg6zt2gcrqsp5ewy3ywlc0ynnr5d782lxdtf703etn30jcur9rl5j7l6hlt6zuruqdqvg4u8q6tjv4jqxqppcqzzs9qyysgqh3u90nt2tveavaf4afvkcy7n7xrwjtxydcduc95z2vya57ccmsgnexzhykgzzqqqdrnap6hylhcrqlejn5kedxrdqwgy45s7qvy97xqqrgmx85', 'bob', 4, 1000000, 'Expired', NULL, '2026-11-24 07:57:46-05', '2026-11-24 07:57:47-05', NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (4, '66c0fc505652b8f94bb7ba307af4e992975aaa41138426bb0934b04e23879c5d', '2e40473006bdbf9e12a5f7b81f612ef4952f677a1787afd391114fe5ad46262b', 'lnbcrt210u1p4stzw2pp5vmq0c5zk22u0jjahhgc84a8fj2t442jpzwzzdwcfxjcyugu8n3wssp5tuj2hc72tkacmtcnheyq7w8kdx8wcrskenz0zjjd3y0w0wzurndsdqvgf5kx7trd3jsxq8pcvsysqcqzzs9qyysgqyjefdltfz9hlzgp5ad7rh5u7acrylselwz5tvv2kjfnw3q8nqltx93r3jtkyz63t3pldc8r0plzamkv6m4svxxrug7a8f654rmzud4spept8k5', 'alice', 3, 21000000, 'Bicycle', NULL, '2026-11-24 07:57:46-05', '2086-11-09 07:57:46-05', NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (5, '7ceee18a05dffbcb0218f45013b066b58afe2918c2431a75bc9fb70f444572de', '4fce88d1f49d753c4c0f49752b9e00f7f0ee6b4e2044893d3ff9ce830c5dd953', NULL, 'bob', 4, 2000000, NULL, NULL, '2026-11-24 07:57:46.562259-05', NULL, '2026-11-24 07:57:46.562259-05', 2000000, 2000000, '{"destination": "02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5", "tlv_records": [{"type": 696969, "value": "626f62"}]}', NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (6, 'ca64708da350a6f6840e8100e13bd54f08c8b9dde9689441b8b3dda539e7725c', '3c54ae19f9ab1b90aca04f3b7d7caa5be3a4d794a090569c14ec95857ae3a9e9', 'lnbcrt30u1p4stzw2pp5efj8prdr2zn0dpqwsyqwzw74fuyv3wwaa95fgsdck0w62w08wfwqsp58z8e9s9dyrhjshfdpvct5yzypf6r2q029wxgf3ctclqrn82y4y0qdq8gfhk76cxqrrsscqzzs9qyysgqzjd85lgzf8ks7t88lnm7kd8zutkw6j0v549y9eeczpkv96dz3qs3eae2d7z2far0ljhrdsg4qz790fzjkh0pxvenuhwwgupjhnd572sqsy2ld6', 'bob', 4, 3000000, 'Book', NULL, '2026-11-24 07:57:46-05', '2026-11-24 08:57:46-05', '2026-11-24 07:57:47.179691-05', 3000000, 3000000, NULL, NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (7, '5fc691f5eaec29d99b830d73042ea73203301381207958a346815cece15389c0', 'aac1596057ea04b16f41186ec46ce60c8b38d039d7b705f383bd352bb51a371a', NULL, 'bob', 4, 1000000, NULL, NULL, '2026-11-24 07:57:47.515752-05', NULL, '2026-11-24 07:57:47.515752-05', 1000000, 1000000, '{"destination": "02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5", "tlv_records": [{"type": 696969, "value": "626f62"}]}', NULL, NULL, 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (8, '19c5669b84a625bbc14b152264b26ceeace542fba5b3a4160e5f43f11be8e694', 'b4548f79d642f8d466e45be5a8c84f2e6ec00e17e32d6b405f4c22bda2f9c857', 'lnbcrt32467540p1p4stzwtpp5r8zkdxuy5cjmhs2tz53xfvnva6kw2shm5ke6g9swtaplzxlgu62qsp5c8hxu5kfrh0mxwttl0tjlhms02s3tgjjrg6dwnwg6lh09f3ndk0sdqqxqzjccqzzs9qyysgqt3n3s54egu7hr3qjm3v59ym9gna9ewtptnv3g4rd2z5jrvfmyx38v39c2jz28f9ykmxjaj63l7vms06l2r53kslfpczw0t49fk558nqqpl8gcv', 'yuki', 5, 3246754, NULL, NULL, '2026-11-24 07:57:47-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.649004-05', 3246754, 500, NULL, 500, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (9, '136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2', '3573e7a372655441b9ba541d68e7f39bba9a050ac333648080c90e28abc9d883', 'lnbcrt30u1p4stzwtpp5zdhsz7wx0gncmphs3yszvamqjkmq9ngt5gvk767833wn9lqqf2eqsp5jd4093vqusn9hm6tcaw94alywdu8z924lpdejapcw7xldwm90jyshp5py7yh3k0aka25cmzax2q329rz9khlke670tvfdvmjel4ksy7q6dsxqzjccqzzs9qyysgqpwjd67zfdwj984ss8md72a05s9nyz5y04x09p5xm2t6cthr89vphzdedxwmp36vn627ppg9tr3zkug2s933tedf3xtlvs30a9jlqcgcphwhztn', 'alice', 2, 3000000, NULL, '093c4bc6cfedbaaa6362e99408a8a3116d7fdb3af3d6c4b59b967f5b409e069b', '2026-11-24 07:57:47-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.961063-05', 3000000, 276, NULL, 276, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (10, 'd31f0fededfd1a506f6529e4f7a028f4cf446e5c4c9965203643c18c029954e8', '5a148126bdb6cb67a0d09b4b7cc971be8e5bff467c475ab5b19b1532c7001073', 'lnbcrt30u1p4stzwtpp56v0slm0dl5d9qmm998j00gpg7n85gmjufjvk2gpkg0qccq5e2n5qsp58vdhcv7kw56p3sr2trf8m6t9p6clw9mshf5xn3nn4rkk8rzq32wqhp5rn4yn2t8pw6vrv7luu6d23hecj0q6fqfurhre86c4wr0lu4n4ngsxqzjccqzzs9qyysgq2hje7zrpn0eufyz0w48seawqkymunfsmjlwacqru4nrjl83fpug3m2l8qfthlkyl5lwegdkfyzj0anygrwsnx49hrnhn2pxc8w2zhvsqxtuywh', 'bob', 4, 3000000, NULL, '1cea49a9670bb4c1b3dfe734d546f9c49e0d2409e0ee3c9f58ab86fff2b3acd1', '2026-11-24 07:57:47-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:48.047008-05', 3000000, 3000000, NULL, 3000000, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 0);
INSERT INTO public.invoices OVERRIDING SYSTEM VALUE VALUES (11, 'f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68', '24d644c1312b27c83892d0b398515016c8a4f097e012b5086c87b9fa9ccc403d', 'lnbcrt27173920p1p4stzwvpp5l8ad6ekj797gam9cgnc0xv66lm88tpldt63xej6zmz4p4rg9f35qsp5ag8etsrl2p5c873rqg58egcwm8qz8r9tk76fcyfrx7f0m8ezjgqqhp5ejpqsnc8areyw0c7matjv3py94gdymt94mulfjnf6t2y479mvlasxqzjccqzzs9qyysgq3ek0heu78agjh8e2quhhdecytudlvk60lrj39acrmvr687zv603hg4ax5lej69dm3jsxxjvavsxaxnvqwhax30j4vkd9uvp9vkh3plcqumtuhw', 'alice', 2, 2717392, NULL, 'cc82084f07e8f2473f1edf572644242d50d26d65aef9f4ca69d2d44af8bb67fb', '2026-11-24 07:57:48-05', '2026-11-24 08:07:48-05', '2026-11-24 07:57:48.179214-05', 2717392, 250, NULL, 250, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 0);

--
-- Data for Name: journal_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (1, 'opening', 'opening:alice:USD', 'f2a6f59212803388d984d16d4ecf4df0f37af6634d969f237e199e5f3d15e0a6', NULL, NULL, '2026-11-24 07:57:45.615201-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (2, 'opening', 'opening:alice:EUR', '6870ce0af5e868e005f11657cd4424d1fdf834fbe8d64a72f5cc0f69d7f5555a', NULL, NULL, '2026-11-24 07:57:45.626709-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (3, 'opening', 'opening:alice:SAT', 'a973b43b06209e4279be0f14bff3cc0bd057d08a8642c9d8022cce07fa1a788a', NULL, NULL, '2026-11-24 07:57:45.637697-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (4, 'opening', 'opening:bob:SAT', '28c2b5d43d74360939c0c1225e227c3e603a0bc73ad674fc0c7d2a56b98ab299', NULL, NULL, '2026-11-24 07:57:45.678292-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (5, 'opening', 'opening:yuki:JPY', 'fb2cfbea56c8b780cd9493ebbdf2e791f2d0f21750cdbe87ec4e604f59d7829f', NULL, NULL, '2026-11-24 07:57:45.686272-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (6, 'opening', 'opening:khalid:KWD', 'a982b8a343631bfa26067c5f87f2d1e89305a0a308dbfa259ee7de2931db70a1', NULL, NULL, '2026-11-24 07:57:45.714826-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (7, 'faucet', 'faucet:penny:first', '6425b7396e5e6595ceb23f86f26d263eececf92932be57fa2e52f4968ecb712a', NULL, NULL, '2026-11-24 07:57:46.382257-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (8, 'exchange', 'exchange:alice:first', '62fd3d013deb60a08b644b05ee05b59e11709efd10f82eecfb770e3bae1ad19d', NULL, NULL, '2026-11-24 07:57:46.406532-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (9, 'payment', 'payment:1', '9c1fb9e1d8c874b1e7bcd1203be361e760a924737586b7ffa571790deaae6be7', 1, NULL, '2026-11-24 07:57:46.482246-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (10, 'payment', 'payment:2', '1403202c0b6a72802bccf71fd30ece80751f13802414b0a2516a9d02155c3ce0', 2, NULL, '2026-11-24 07:57:46.562259-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (11, 'hold', 'hold:3', '7ec641c30d34b307d8c8bf8ff313e5d552666d823ceec33c60a4a6ac432f526b', 3, NULL, '2026-11-24 07:57:46.626533-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (12, 'settle', 'settle:3', '9adb63236da02cd498eca2d5a8b598c92f43cb543e8f8b8ca57a3cb2b0fb5796', 3, NULL, '2026-11-24 07:57:46.930134-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (13, 'receive', 'receive:ca64708da350a6f6840e8100e13bd54f08c8b9dde9689441b8b3dda539e7725c', '14a753f2834a29299a341f95fe4fb86742335674e612378dc8b559702d69ad57', NULL, 1, '2026-11-24 07:57:47.179691-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (14, 'hold', 'hold:4', '0ee4c2348250ff3b1547c6f53cdedaec0950531ec14289409cf6604e804cfa39', 4, NULL, '2026-11-24 07:57:47.306843-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (15, 'settle', 'settle:4', 'c9db5b9719eedeac33d784a57f2e1278f6de2e1c19b0ed57ce5accfce163fc70', 4, NULL, '2026-11-24 07:57:47.483439-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (16, 'receive', 'receive:5fc691f5eaec29d99b830d73042ea73203301381207958a346815cece15389c0', 'ae03733498b4f1c768def66bc8842e0a882d08e2adce596cdf13ab1f16aebf71', NULL, 2, '2026-11-24 07:57:47.515752-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (17, 'hold', 'hold:5', '61da4cb996fc0b696b06a3ea4b5adb9c65181bd969623aa1f20d3ef29906894b', 5, NULL, '2026-11-24 07:57:47.533733-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (18, 'release', 'release:5', '166c9323fd290abcd70b7f228e5143c72581da07c92b983919b21cca040dab12', 5, NULL, '2026-11-24 07:57:47.544185-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (19, 'hold', 'hold:6', 'dbb78c47ee7b8f6b5bea6f4610f6c7239d7f184889708ef02a5ea3b49e88d7e3', 6, NULL, '2026-11-24 07:57:47.616955-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (20, 'settle', 'settle:6', '7f795d16c6602c83b8de564c00dc9f61472c46b73525bb98b2360d09c1739358', 6, NULL, '2026-11-24 07:57:47.627595-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (21, 'payment', 'payment:7', 'd054de9588996a467a31e5437891d963f0115f932bbae9e9486e020c110330aa', 7, NULL, '2026-11-24 07:57:47.649004-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (22, 'hold', 'hold:8', '4b780344f1a5d09cdb745ed1a392941d5bb6dcc92f64e7dc730ec80b66e31c3c', 8, NULL, '2026-11-24 07:57:47.7137-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (23, 'settle', 'settle:8', '638f9cd6ab9c32c6d6bc70a9a23fcff71040d99ae4bc7f0e3ee3d0e6f1a29423', 8, NULL, '2026-11-24 07:57:47.76085-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (24, 'hold', 'hold:9', '4b780344f1a5d09cdb745ed1a392941d5bb6dcc92f64e7dc730ec80b66e31c3c', 9, NULL, '2026-11-24 07:57:47.799489-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (25, 'settle', 'settle:9', '638f9cd6ab9c32c6d6bc70a9a23fcff71040d99ae4bc7f0e3ee3d0e6f1a29423', 9, NULL, '2026-11-24 07:57:47.841337-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (26, 'receive', 'receive:136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2', '13db5097175a1fa063ad2029aff53afd8a42f616ece8f9afb68568fe5592356f', NULL, 3, '2026-11-24 07:57:47.961063-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (27, 'receive', 'receive:d31f0fededfd1a506f6529e4f7a028f4cf446e5c4c9965203643c18c029954e8', '14a753f2834a29299a341f95fe4fb86742335674e612378dc8b559702d69ad57', NULL, 4, '2026-11-24 07:57:48.047008-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (28, 'receive', 'receive:f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68', 'b4ba46dad691f83283dd813f6c91dce4bebc1889e02241b537a6c3083a6e133e', NULL, 5, '2026-11-24 07:57:48.179214-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (29, 'hold', 'hold:10', 'e4be177926271313a9e2c46406f7a559bf31a2aadae4dc074e139a5211e2d042', 10, NULL, '2026-11-24 07:57:48.25133-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (30, 'settle', 'settle:10', '25ef6d718ff8b7951fbc689bd3ed2e52a134ba3c4ef01de3ebfbea400a5904e2', 10, NULL, '2026-11-24 07:57:48.286295-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (31, 'hold', 'hold:11', '9a92eab05b49c97d9da96855f7f6e0d878d883d6d42bde1fd713d41f6eee3ffa', 11, NULL, '2026-11-24 07:57:48.456536-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (32, 'settle', 'settle:11', 'a175a54d79ffcb60a2395be4bb6accb613e520d9792063a07627aa13f69b8b64', 11, NULL, '2026-11-24 07:57:48.493855-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (33, 'reconciliation', 'reconciliation:1', 'cff1a778e9daada0cffe0663862d38c458ac6761fc0e27f2da20f5043a85484e', NULL, NULL, '2026-11-24 07:57:49.073719-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (34, 'hold', 'hold:12', '5941fe5510700b8922ced50f63866ca0d25589ad5a3e6858196eb83db2c1c6ef', 12, NULL, '2026-11-24 07:57:49.103526-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (35, 'settle', 'settle:12', 'd42773b19a20ecdda624915f05475ade21f8110ed329280ea46a2561fd0a8482', 12, NULL, '2026-11-24 07:57:49.17041-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (36, 'hold', 'hold:13', '5941fe5510700b8922ced50f63866ca0d25589ad5a3e6858196eb83db2c1c6ef', 13, NULL, '2026-11-24 07:57:49.188645-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (37, 'release', 'release:13', 'ced629889f96580cafebd0011e735c71f170a5bf035553cd40c36dd49de3c697', 13, NULL, '2026-11-24 07:57:49.218472-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (38, 'hold', 'hold:14', '63dcdbd0c74e7db5f086256174d3d175e935f35f2cea3391318d0fc1c745bd3e', 14, NULL, '2026-11-24 07:57:49.228544-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (39, 'hold', 'hold:15', '38e0464605106273d093753a619f2c04e6380ca27119c0dff5ba14284c967182', 15, NULL, '2026-11-24 07:57:50.517811-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (40, 'release', 'release:14', 'e257311f2317bca11486caebdb104e2df51503757e47aacfa68fb1fb5a73a2e6', 14, NULL, '2026-11-24 07:57:51.734298-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (41, 'release', 'release:15', '3f1d2dd28463ce1ebc28e051f8363f725d877d892d73269dd931fbc3ef4f3ed1', 15, NULL, '2026-11-24 07:57:51.742265-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (42, 'loss', 'loss:14', 'f242bb7a28739cc1e9fed789eab9ea127a81eed8784b614b8f2aa492a8b7a010', 14, NULL, '2026-11-24 07:57:51.762614-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (43, 'hold', 'hold:16', 'e1327352e0e180e99ed837de9262a3fa519af8565f773a73e9b140b4ed52dc9e', 16, NULL, '2026-11-24 07:57:51.831141-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (44, 'receive', 'receive:4d5e1654214849ea1917e276d7c3d5a8c838297175b7a33a44c5b2feff1ba368', '4e922f65475bafc372e8cf89871a2da3a73254695c8fb3609c6949da88e4a0fe', NULL, 6, '2026-11-24 07:57:53.423293-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (45, 'hold', 'hold:17', '4b780344f1a5d09cdb745ed1a392941d5bb6dcc92f64e7dc730ec80b66e31c3c', 17, NULL, '2026-11-24 07:57:53.65282-05');
INSERT INTO public.journal_entries OVERRIDING SYSTEM VALUE VALUES (46, 'settle', 'settle:17', '638f9cd6ab9c32c6d6bc70a9a23fcff71040d99ae4bc7f0e3ee3d0e6f1a29423', 17, NULL, '2026-11-24 07:57:53.818742-05');

--
-- Data for Name: ledger_accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (1, 'suspense', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (2, 'lightning', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (3, 'lightning', 'USD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (4, 'lightning', 'EUR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (5, 'lightning', 'GBP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (6, 'lightning', 'MXN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (7, 'lightning', 'BRL', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (8, 'lightning', 'PHP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (9, 'lightning', 'INR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (10, 'lightning', 'NGN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (11, 'lightning', 'JPY', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (12, 'lightning', 'KWD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (13, 'fx', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (14, 'fx', 'USD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (15, 'fx', 'EUR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (16, 'fx', 'GBP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (17, 'fx', 'MXN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (18, 'fx', 'BRL', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (19, 'fx', 'PHP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (20, 'fx', 'INR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (21, 'fx', 'NGN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (22, 'fx', 'JPY', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (23, 'fx', 'KWD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (24, 'fees', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (25, 'fees', 'USD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (26, 'fees', 'EUR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (27, 'fees', 'GBP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (28, 'fees', 'MXN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (29, 'fees', 'BRL', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (30, 'fees', 'PHP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (31, 'fees', 'INR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (32, 'fees', 'NGN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (33, 'fees', 'JPY', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (34, 'fees', 'KWD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (35, 'rounding', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (36, 'rounding', 'USD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (37, 'rounding', 'EUR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (38, 'rounding', 'GBP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (39, 'rounding', 'MXN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (40, 'rounding', 'BRL', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (41, 'rounding', 'PHP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (42, 'rounding', 'INR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (43, 'rounding', 'NGN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (44, 'rounding', 'JPY', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (45, 'rounding', 'KWD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (46, 'faucet', 'SAT', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (47, 'faucet', 'USD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (48, 'faucet', 'EUR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (49, 'faucet', 'GBP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (50, 'faucet', 'MXN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (51, 'faucet', 'BRL', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (52, 'faucet', 'PHP', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (53, 'faucet', 'INR', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (54, 'faucet', 'NGN', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (55, 'faucet', 'JPY', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (56, 'faucet', 'KWD', NULL, NULL, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (61, 'held', 'EUR', 2, 0, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (63, 'held', 'SAT', 3, 0, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (67, 'held', 'JPY', 5, 0, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (69, 'held', 'KWD', 6, 0, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (71, 'held', 'USD', 7, 0, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (62, 'available', 'SAT', 3, 300000000, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (68, 'available', 'KWD', 6, 75000, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (70, 'available', 'USD', 7, 10000, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (60, 'available', 'EUR', 2, 87446, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (66, 'available', 'JPY', 5, 15500, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (72, 'node', 'SAT', NULL, 9993000, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (64, 'available', 'SAT', 4, 253910000, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (65, 'held', 'SAT', 4, 9090000, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (58, 'available', 'USD', 1, 118991, NULL);
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (57, 'node', 'SAT', NULL, 14608697, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72');
INSERT INTO public.ledger_accounts OVERRIDING SYSTEM VALUE VALUES (59, 'held', 'USD', 1, 0, NULL);

--
-- Data for Name: lightning_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lightning_cursors VALUES ('02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5', '17', '2026-11-24 07:57:53.444897-05');

--
-- Data for Name: login_grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.login_grants VALUES ('d3434306-2ea2-4e37-826b-39a8e3da6e15', 'alice', 'CFmyZQakLupSuOzRbVhFtmSYFjeCJP1B70OyIgjcCCU', 'shop.example', 'npub1shop', '2026-11-24 07:57:46.145386-05', '2026-11-24 08:07:46-05', 0, NULL);
INSERT INTO public.login_grants VALUES ('795b85ad-20c2-48f9-8f89-f3a0a9da803f', 'alice', 'a57388bf-9ff7-4407-85f4-f0211e2b1c61', NULL, NULL, '2026-11-24 07:57:46.16994-05', '2026-11-24 08:07:46-05', 1, NULL);
INSERT INTO public.login_grants VALUES ('0e70dc80-2f31-4304-930a-f7543056643a', 'alice', 'fb890d34-16cf-4db7-afe8-20504ee6cdcb', NULL, NULL, '2026-11-24 07:57:46.222566-05', '2026-11-24 08:07:46-05', 1, NULL);
INSERT INTO public.login_grants VALUES ('baa7c36a-2343-45f0-9a9f-745a4b4c4484', 'alice', '3fcb9653-e329-4aa9-95b0-25b58a1c0994', NULL, NULL, '2026-11-24 07:57:46.246592-05', '2026-11-24 08:07:46-05', 1, NULL);
INSERT INTO public.login_grants VALUES ('af401767-b012-468a-a2dc-52b195acf917', 'bob', '59a17119-26fd-4594-87e1-9607d9f93ab9', NULL, NULL, '2026-11-24 07:57:46.252138-05', '2026-11-24 08:07:46-05', 1, NULL);
INSERT INTO public.login_grants VALUES ('ce9c6896-88fc-4fc5-be6b-8b0893d58fac', 'yuki', 'c1dabe1f-0ed5-4e50-9822-10dfef68ab93', NULL, NULL, '2026-11-24 07:57:46.317519-05', '2026-11-24 08:07:46-05', 1, '2026-11-24 07:57:46.3358-05');
INSERT INTO public.login_grants VALUES ('632dd5ed-39e6-4e93-acce-c2f0eabfd7e5', 'alice', 'b29f2c01-bb1b-41fe-bc93-d5079784ec96', NULL, NULL, '2026-11-24 07:57:49.058375-05', '2026-11-24 08:07:49-05', 1, NULL);
INSERT INTO public.login_grants VALUES ('b6170dfb-6cc8-40d2-ae33-fec7eb959ed0', 'bob', 'aee43176-f177-4813-95a2-b8d5d1e18270', NULL, NULL, '2026-11-24 07:57:51.791723-05', '2026-11-24 08:07:51-05', 1, NULL);

--
-- Data for Name: loss_acknowledgements; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.loss_acknowledgements VALUES (14, '2026-11-24 07:57:51.786298-05');

--
-- Data for Name: payment_write_offs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_write_offs VALUES (15, 'operator', 'the west has shown its books', '2026-11-24 07:57:51.742265-05', NULL);
INSERT INTO public.payment_write_offs VALUES (14, 'operator', 'the west has shown its books', '2026-11-24 07:57:51.734298-05', '2026-11-24 07:57:51.77829-05');

--
-- Data for Name: payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (1, '1f54689586c2975615c5b0e166b31a9375f9fe050346e4af7e1f3add44c72d5d', 'lnbcrt50u1p4stzw2pp5ra2x39vxc2t4v9w9krskdvc6jd6lnls9qdrwftm7ruad63x894wssp5hksdwyhn5jgl0uvvm0vpqw4w7vtymx8vlqhe2nkrmqlw77pdusgqdqj23mk7grrdanxvet9wvxqrrsscqzzs9qyysgq3u0f5v9qfe9wjy0da43uvck87vyqlyl78zar92z8f8v85vsauf2xw33j3cqwnxj049ev7dp3842u0pu4u2ufupzg68ymz7xr0qzlhggq6jxhq7', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, NULL, 5000000, 0, 0, 500, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Two coffees', NULL, 'succeeded', 'df8e89e572bf756779cef110cd7c44145c502fab4d35ef84e2243b2a139f2bbc', NULL, '2026-11-24 07:57:46.482246-05', '2026-11-24 08:57:46-05', '2026-11-24 07:57:46.482246-05', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (2, '7ceee18a05dffbcb0218f45013b066b58afe2918c2431a75bc9fb70f444572de', NULL, 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, NULL, 2000000, 0, 0, 200, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, NULL, 'succeeded', '4fce88d1f49d753c4c0f49752b9e00f7f0ee6b4e2044893d3ff9ce830c5dd953', NULL, '2026-11-24 07:57:46.562259-05', NULL, '2026-11-24 07:57:46.562259-05', NULL, NULL, '4fce88d1f49d753c4c0f49752b9e00f7f0ee6b4e2044893d3ff9ce830c5dd953', '{"destination": "02b31f40adc6f477b16f3ecbbef7feeb0905bb1aa1a5a5a53b922ddc352dca82c5", "tlv_records": [{"type": 696969, "value": "626f62"}]}', 'keysend-1', NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (3, 'b83bb6df70dd7815c23c48de7a28ad3ec5e15472c1fa457302ef467203f00d9d', 'lnbcrt70u1p4stzw2pp5hqamdhmsm4upts3ufr08529d8mz7z4rjc8ay2uczaar8yqlspkwssp5qqp9exc354jxxam9jn7mrzl6d7y5macdakzn6s4fjx0ta20hzdjsdq8gfhk76cxqrrsscqzzs9qyysgqlh2zxcff0qwdf9j3w7vefs9r7nfp3c3d2hktwg6kyrux0wsagfsnfg94xsp9cs7eahfmhacqd5tj27swylxdcwgcdg6awawk03mcldgpc92d7l', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, NULL, 7000000, 0, 70000, 700, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Book', NULL, 'succeeded', '356f1122509f8292e6f463cec26eb13eefd4d9c48bda38a94a6711381aed8e49', NULL, '2026-11-24 07:57:46.626533-05', '2026-11-24 08:57:46-05', '2026-11-24 07:57:46.930134-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (4, 'cc590210e95defa6d5fc07351a577df89b20fb2cbe4ed6a50f2408b0415e8412', NULL, 'bob', '2ffe88f6-cf8f-47d4-bcb2-590c6ef89c6a', 4, NULL, 1000000, 0, 10000, 1000000, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, NULL, 'succeeded', '694528445a02d4d548afdd352242a5580b2b7b64e2e63347db4c09906bee3d15', NULL, '2026-11-24 07:57:47.306843-05', NULL, '2026-11-24 07:57:47.483439-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '694528445a02d4d548afdd352242a5580b2b7b64e2e63347db4c09906bee3d15', '{"destination": "0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72", "tlv_records": [{"type": 696969, "value": "626f62"}]}', NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (5, '47a5a4228012580340760d721cc5deb556ec38437a043f10f070d5612fcfbe72', 'lnbcrt20u1p4stzwtpp5g7j6gg5qzfvqxsrkp4epe3w7k4twcwzr0gzr7y8swr2kzt70heeqsp5r6qm69lh5yt7l63vwl7u89w05hlpfnvxp0mhcq48zktmfcngmx3sdqqxqrrsscqzzs9qyysgq3uwghfrllsa4d8aw0jyq24rt0zvvcavv6nnndllkh4jxmwh67llpfrcmnvrn5hpnmm9sa5spwtlzzvrma8wr6l85dzzsq3n796envzcphfhn8e', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, NULL, 2000000, 0, 20000, 202, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', '', NULL, 'failed', NULL, 'unknown', '2026-11-24 07:57:47.533733-05', '2026-11-24 08:57:47-05', NULL, '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (6, '36024742a5d46f358ac083b0a3543251f32d66d905854b5e42a30bd1a8b553e4', 'lnbcrt54347830p1p4stzwtpp5xcpyws4963hntzkqswc2x4pj28ej6ekeqkz5khjz5v9ar29420jqsp5r7gtl3s9dmyrsstvgkt4kz9n9kn63upspfmj289c7jzvgzr8pjlqhp5cfk675ud96380j3552xuzff7y5e4h3wcrvyhqrmqm2tfl2qrvefqxqzjccqzzs9qyysgq8ugpstyk8x37zjj3uypfk2skas8n8jwk2lwwh7e6qd4dnzn3tgps6rkq6p5edc6cckllvkwmmjh7wed7vffgkwsqgd44xtlqvcexkacqusgt82', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 2, 5434783, 0, 0, 544, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, 'c26daf538d2ea277ca34a28dc1253e25335bc5d81b09700f60da969fa8036652', 'succeeded', 'de3724524b796fd5ae28d38bf19e48bbbc0873f251bd891799a5c1d4630c409d', NULL, '2026-11-24 07:57:47.616955-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.627595-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (7, '19c5669b84a625bbc14b152264b26ceeace542fba5b3a4160e5f43f11be8e694', 'lnbcrt32467540p1p4stzwtpp5r8zkdxuy5cjmhs2tz53xfvnva6kw2shm5ke6g9swtaplzxlgu62qsp5c8hxu5kfrh0mxwttl0tjlhms02s3tgjjrg6dwnwg6lh09f3ndk0sdqqxqzjccqzzs9qyysgqt3n3s54egu7hr3qjm3v59ym9gna9ewtptnv3g4rd2z5jrvfmyx38v39c2jz28f9ykmxjaj63l7vms06l2r53kslfpczw0t49fk558nqqpl8gcv', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 3, 3246754, 0, 0, 325, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, NULL, 'succeeded', 'b4548f79d642f8d466e45be5a8c84f2e6ec00e17e32d6b405f4c22bda2f9c857', NULL, '2026-11-24 07:57:47.649004-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.649004-05', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (8, '14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb', 'lnbcrt30u1p4stzwtpp5zs6x7hzknwfupp9w78xwrnpmaegxaez7fuu0dley4tmrkv39wtassp5e4dhm0h7zh0kr4wwjmjdp8hkklt9wktwaeu8kdstxnnrl30sdteshp53fenqa8rx2gv33h0f7ad4wfue8vmkyww0kwun77z0zs6vkx5chzqxqzjccqzzs9qyysgq7qvztr2czqa23ptu7dhghz6h8axc3jyrl6ms7dz4arl9ppacg3qje0f86vt9rn9967lm6sm0fw5ehx9pre9q8d4yymev0lfexgu57fcqw8fkcu', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 4, 3000000, 0, 0, 300, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '8a733074e33290c8c6ef4fbadab93cc9d9bb11ce7d9dc9fbc278a1a658d4c5c4', 'succeeded', '0c9a6eba71b72685613611e08cbe41e77b47e7699ae99a12f416736adb405d6c', NULL, '2026-11-24 07:57:47.7137-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.76085-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (9, 'b557e000c4782051dea3569ea6a3e7a58a37097f322f3cabd57c7331a927133b', 'lnbcrt30u1p4stzwtpp5k4t7qqxy0qs9rh4r2602dgl85k9rwztlxghne27403enr2f8zvassp56kckzzhvzjrc8de29jppxlhkefz6z827rl55jxfe2t0wuq6suhmshp5tekueggfhjv5g7cprznu2r788hgsaqr2ryqnymzjf9krt73j63zqxqzjccqzzs9qyysgq04ufwlt06nxdrl2z4y7d6kgwh3j08zpwrgw67ypnkx4vmd3rzx05xftz2y85860ve6mneatvadwh4x98gchddztalcj3z0hvyu4c88cqy5mgu3', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 5, 3000000, 0, 0, 300, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '5e6dcca109bc99447b0118a7c50fc73dd10e806a1901326c52496c35fa32d444', 'succeeded', '50a10d5397dda3484b2f80d65c150a731758c81006c663302f825c9c7726c8d7', NULL, '2026-11-24 07:57:47.799489-05', '2026-11-24 08:07:47-05', '2026-11-24 07:57:47.841337-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (10, '98f21fa84393eaa0b3f1eeb5bb58324c245fbe144a96491568fce76be2bb03bb', 'lnbcrt27173920p1p4stzwvpp5nrepl2zrj042pvl3a66mkkpjfsj9l0s5f2tyj9tglnnkhc4mqwassp58srtvm6jtye3hgyczavqvf6h4rys959rzs8524k3nhrlclvue2dshp5szq72vza7qwxwph22c3tsacn6r36menj2d7qscp2ghhpgv3pmmcqxqzjccqzzs9qyysgq5knsscn5pu44ac6hrjx4yfgnpqnwcge7qaj4e337xvpklcw49uxr64fqx6v7dlmfxrxn6tzvpjhd9trx5k98z0qldvmk0kql7mvff2sqhnlt2s', 'alice', NULL, 1, 6, 2717392, 0, 0, 272, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '8081e5305df01c6706ea5622b87713d0e3ade672537c08602a45ee143221def0', 'succeeded', 'd2a5c985179a948cf7c5d80f5f7826a051ce5d6e897c2c5995a9a38b532205b2', NULL, '2026-11-24 07:57:48.25133-05', '2026-11-24 08:07:48-05', '2026-11-24 07:57:48.286295-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (11, 'c139173f713109451eb0e32147fab1258b8dadbb647a83693ab57e169913edf3', 'lnbcrt21739140p1p4stzwvpp5cyu3w0m3xyy5284suvs50743yk9cmtdmv3agx6f6k4lpdxgnahessp5av9wyg6hu9nt00uxjtk48u2dnml6v5jk8xvk8drapyxu5c8zdayshp5arm3hea3lldmg9h2mzkz2mf4332q57me3jc09udxyfcv4y3sfjcqxqzjccqzzs9qyysgq5sx83u00s72an09vv8w5s7fjkxy2w4g9ac40ag7vw7sf7ckzty3knq8msuyeeqyc8agtn37rnettpcft3fh7x75kh2qhrjlp4tp60wgq5r0ftv', 'alice', NULL, 1, 7, 2173914, 0, 0, 218, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, 'e8f71be7b1ffdbb416ead8ac256d358c540a7b798cb0f2f1a62270ca92304cb0', 'succeeded', '74bb604e9648e13e1174f45d53a09d97096ad39f210c8ca2ba74d8c633faea01', NULL, '2026-11-24 07:57:48.456536-05', '2026-11-24 08:07:48-05', '2026-11-24 07:57:48.493855-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (12, '9e00aaf6343ede1b7e7d845454ad41dbc64e66fa9c5a37c5df2bdb016ace350c', 'lnbcrt40u1p4stzwdpp5ncq24a358m0pklnas329ft2pm0ryueh6n3dr03wl90dsz6kwx5xqsp5aq4l23ldz73hs5wd8mjtygvhy5ftm6u79fqsurkaeuspttc538uqdqcf4shqgr0vcs8g6r9ypmk2um5xqrrsscqzzs9qyysgq0jxs8mej62qqgl8q2pejkwzzcw2qv264x5z2qg7xv8rjyh6fa5esyzglgjrsfj3a5y42pquq5387p84vapvp645wcegj08p3awgm2pgp6j5t3r', 'alice', '6e9e908c-0f0a-463b-92da-7281c0f63047', 1, NULL, 4000000, 0, 40000, 400, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Map of the west', NULL, 'succeeded', 'c40d8705a0b1a3c40f5128c5d457bc78179e1069a97a8fda36e4c2b716ca6627', NULL, '2026-11-24 07:57:49.103526-05', '2026-11-24 08:57:49-05', '2026-11-24 07:57:49.17041-05', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (13, 'f0acc7eaff04337e02b9bed805de08c93476b832926d46db0f8f3043f62fbd53', 'lnbcrt40u1p4stzwdpp57zkv06hlqsehuq4ehmvqthsgey68dwpjjfk5dkc03ucy8a30h4fssp5cnrfktz32dl0gjppf0enc8z6vjp78ruxrfalz20w5uwnvv75plqsdqcf4shqgr0vcs8g6r9ypmk2um5xqrrsscqzzs9qyysgqfxn3t3crhmcchtfsmk4lhrag2f80y5gtf9wdra2lzpatl7x7aytjszm6u2x08zy97cp4m9e66vdg3pr7w5nruweu3kuvyhp26sdxptcpv6ejty', 'alice', '6e9e908c-0f0a-463b-92da-7281c0f63047', 1, NULL, 4000000, 0, 40000, 404, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Map of the west', NULL, 'failed', NULL, 'no-route', '2026-11-24 07:57:49.188645-05', '2026-11-24 08:57:49-05', NULL, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (14, '1e5c14922cbc2514bb44704bd8bf990047ef7e1c0c0174e754b65ba219f6d16d', 'lnbcrt60u1p4stzwdpp5rewpfy3vhsj3fw6ywp9a30ueqpr77lsupsqhfe65ked6yx0k69kssp57epkrk33yr9zrpdp9q3x2wk9k5zfp2pdkz5jqelmuu07p8lexgqsdqcf4shqgr0vcs8g6r9ypmk2um5xqrrsscqzzs9qyysgqg2pd47pg0kddp9msr2ktqqfguhvkrt8a5mhgmuvf0zdt56u7tvrjew7zqef0reeg6vzk0stzf5r9segx26aehqk9mtp48txv0u4f30gq5eyt6h', 'alice', '6e9e908c-0f0a-463b-92da-7281c0f63047', 1, NULL, 6000000, 0, 60000, 606, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Map of the west', NULL, 'failed', NULL, 'gone', '2026-11-24 07:57:49.228544-05', '2026-11-24 08:57:49-05', NULL, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (15, '03475d2c5f3b06cf4306e14b5aa8ba5ffb4d4ff877e381839f8677095a7ae1f1', 'lnbcrt80u1p4stzwwpp5qdr46tzl8vrv7scxu9944296tla56nlcwl3crqulsemsjkn6u8cssp5azgt3g4eytzu9u7grd06v9n04a4rsuclyqu57j9agf60yn6rpaqqdqcf4shqgr0vcs8g6r9ypmk2um5xqrrsscqzzs9qyysgqnmyc3krk8zv0nkkj3qzaa9q6h5vnmp4py27myqk9stradadr0yazp2l3we43kjg9hkhlgs9y2drxxy83qlhcvc85xrznuarp7mhnjhqq75cw8w', 'alice', '6e9e908c-0f0a-463b-92da-7281c0f63047', 1, NULL, 8000000, 0, 80000, 808, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Map of the west', NULL, 'failed', NULL, 'gone', '2026-11-24 07:57:50.517811-05', '2026-11-24 08:57:50-05', NULL, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (16, '52d0bc5b32ce00c10839e4bc7f0d6d93369aaca6630af2301639a4d73735a6f9', 'lnbcrt90u1p4stzw0pp52tgtckejecqvzzpeuj787rtdjvmf4t9xvv90yvqk8xjdwde45mussp5njq6jrud0vtqn33pamvr6pdyme26azhxmju6w6mxuq6dcj4uxsusdqcf4shqgr0vcs8g6r9ypmk2um5xqrrsscqzzs9qyysgq6dru97nes9m80a9pfxkmnyvvqjwptvyzhegspajl4gd2wjman3gqyufqpcdq7xegug88jyushtnrg54jvjexejfka9a6403fcy77npsqqcysvd', 'bob', 'f62110d4-c3fe-4c2f-8c96-24bfc08ef9bd', 4, NULL, 9000000, 0, 90000, 9090000, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', 'Map of the west', NULL, 'sending', NULL, NULL, '2026-11-24 07:57:51.831141-05', '2026-11-24 08:57:51-05', NULL, '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', '03945b6a7a970f1db7980c5141b39c885ddabe429a7657d9ebacdc757ad324b600', NULL, NULL, NULL, 'nobody', '2026-11-24 07:57:52.869945-05', false, NULL, NULL);
INSERT INTO public.payments OVERRIDING SYSTEM VALUE VALUES (17, '255c6d1d9f6ba9b13618d6a81ec8d5059fa7c87617cf22fea3fd09c0b932d996', 'lnbcrt30u1p4stzw3pp5y4wx68vldw5mzdsc665pajx4qk060jrkzl8j9l4rl5yupwfjmxtqsp5zej54jm44phjw9t5se5t77qpy9w8vtseej8hsx40degx0f609emqhp5faa829hfqa36t474yth2z094xsjst8y63a9qdj7ej3sqh7e2ekjsxqzjccqzzs9qyysgqxxj9kjutman75wsf7lc7mrml6gqsrwx46t6xfcgzlcqf4ehm8clkvnzgjvmqrx4cnqf6uf6c9cxy5a50tepmz2ydv3282rf678cnhuqpgflraz', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 8, 3000000, 0, 0, 300, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '4f7a7516e90763a5d7d522eea13cb53425059c9a8f4a06cbd994600bfb2acda5', 'succeeded', 'a04b1e0a5c5b8156fd7dc032eb854204a65ed2feb47e8c9b5001ed9ade55ca87', NULL, '2026-11-24 07:57:53.65282-05', '2026-11-24 08:07:53-05', '2026-11-24 07:57:53.818742-05', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', '0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL);

--
-- Data for Name: postings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (2, 1, 47, 'USD', -124050, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (4, 1, 58, 'USD', 124050, 124050);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (6, 2, 48, 'EUR', -86000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (8, 2, 60, 'EUR', 86000, 86000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (10, 3, 46, 'SAT', -300000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (12, 3, 62, 'SAT', 300000000, 300000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (14, 4, 46, 'SAT', -250000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (16, 4, 64, 'SAT', 250000000, 250000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (18, 5, 55, 'JPY', -15000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (20, 5, 66, 'JPY', 15000, 15000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (22, 6, 56, 'KWD', -75000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (24, 6, 68, 'KWD', 75000, 75000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (26, 7, 47, 'USD', -10000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (28, 7, 70, 'USD', 10000, 10000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (30, 8, 14, 'USD', 1000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (32, 8, 15, 'EUR', -920, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (34, 8, 58, 'USD', -1000, 123050);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (36, 8, 60, 'EUR', 920, 86920);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (38, 9, 13, 'SAT', -5000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (40, 9, 14, 'USD', 500, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (42, 9, 58, 'USD', -500, 122550);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (44, 9, 64, 'SAT', 5000000, 255000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (46, 10, 13, 'SAT', -2000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (48, 10, 14, 'USD', 200, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (50, 10, 58, 'USD', -200, 122350);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (52, 10, 64, 'SAT', 2000000, 257000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (54, 11, 58, 'USD', -707, 121643);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (56, 11, 59, 'USD', 707, 707);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (58, 12, 13, 'SAT', -7000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (60, 12, 14, 'USD', 700, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (62, 12, 57, 'SAT', 7000000, 7000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (64, 12, 58, 'USD', 7, 121650);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (66, 12, 59, 'USD', -707, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (68, 13, 57, 'SAT', -3000000, 4000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (70, 13, 64, 'SAT', 3000000, 260000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (72, 14, 64, 'SAT', -1010000, 258990000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (74, 14, 65, 'SAT', 1010000, 1010000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (76, 15, 57, 'SAT', 1000000, 5000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (78, 15, 64, 'SAT', 10000, 259000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (80, 15, 65, 'SAT', -1010000, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (82, 16, 57, 'SAT', -1000000, 4000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (84, 16, 64, 'SAT', 1000000, 260000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (86, 17, 58, 'USD', -202, 121448);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (88, 17, 59, 'USD', 202, 202);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (90, 18, 58, 'USD', 202, 121650);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (92, 18, 59, 'USD', -202, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (94, 19, 58, 'USD', -544, 121106);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (96, 19, 59, 'USD', 544, 544);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (98, 20, 13, 'SAT', -5440000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (100, 20, 14, 'USD', 544, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (102, 20, 35, 'SAT', 5217, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (104, 20, 57, 'SAT', 5434783, 9434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (106, 20, 59, 'USD', -544, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (108, 21, 13, 'SAT', -3246, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (110, 21, 14, 'USD', 325, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (112, 21, 22, 'JPY', -500, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (114, 21, 35, 'SAT', 3246, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (116, 21, 58, 'USD', -325, 120781);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (118, 21, 66, 'JPY', 500, 15500);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (120, 22, 58, 'USD', -300, 120481);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (122, 22, 59, 'USD', 300, 300);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (124, 23, 13, 'SAT', -3000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (126, 23, 14, 'USD', 300, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (128, 23, 57, 'SAT', 3000000, 12434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (130, 23, 59, 'USD', -300, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (132, 24, 58, 'USD', -300, 120181);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (134, 24, 59, 'USD', 300, 300);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (136, 25, 13, 'SAT', -3000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (138, 25, 14, 'USD', 300, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (140, 25, 57, 'SAT', 3000000, 15434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (142, 25, 59, 'USD', -300, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (144, 26, 13, 'SAT', 3000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (146, 26, 15, 'EUR', -276, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (148, 26, 57, 'SAT', -3000000, 12434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (150, 26, 60, 'EUR', 276, 87196);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (152, 27, 57, 'SAT', -3000000, 9434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (154, 27, 64, 'SAT', 3000000, 263000000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (156, 28, 13, 'SAT', 2717392, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (158, 28, 15, 'EUR', -250, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (160, 28, 57, 'SAT', -2717392, 6717391);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (162, 28, 60, 'EUR', 250, 87446);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (164, 29, 58, 'USD', -272, 119909);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (166, 29, 59, 'USD', 272, 272);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (168, 30, 13, 'SAT', -2720000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (170, 30, 14, 'USD', 272, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (172, 30, 35, 'SAT', 2608, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (174, 30, 57, 'SAT', 2717392, 9434783);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (176, 30, 59, 'USD', -272, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (178, 31, 58, 'USD', -218, 119691);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (180, 31, 59, 'USD', 218, 218);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (182, 32, 13, 'SAT', -2180000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (184, 32, 14, 'USD', 218, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (186, 32, 35, 'SAT', 6086, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (188, 32, 57, 'SAT', 2173914, 11608697);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (190, 32, 59, 'USD', -218, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (192, 33, 1, 'SAT', 7000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (194, 33, 72, 'SAT', -7000, -7000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (196, 34, 58, 'USD', -404, 119287);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (198, 34, 59, 'USD', 404, 404);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (200, 35, 13, 'SAT', -4000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (202, 35, 14, 'USD', 400, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (204, 35, 58, 'USD', 4, 119291);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (206, 35, 59, 'USD', -404, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (208, 35, 72, 'SAT', 4000000, 3993000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (210, 36, 58, 'USD', -404, 118887);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (212, 36, 59, 'USD', 404, 404);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (214, 37, 58, 'USD', 404, 119291);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (216, 37, 59, 'USD', -404, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (218, 38, 58, 'USD', -606, 118685);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (220, 38, 59, 'USD', 606, 606);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (222, 39, 58, 'USD', -808, 117877);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (224, 39, 59, 'USD', 808, 1414);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (226, 40, 58, 'USD', 606, 118483);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (228, 40, 59, 'USD', -606, 808);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (230, 41, 58, 'USD', 808, 119291);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (232, 41, 59, 'USD', -808, 0);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (234, 42, 24, 'SAT', -6000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (236, 42, 72, 'SAT', 6000000, 9993000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (238, 43, 64, 'SAT', -9090000, 253910000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (240, 43, 65, 'SAT', 9090000, 9090000);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (242, 44, 1, 'SAT', 5000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (244, 44, 2, 'SAT', -5000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (246, 45, 58, 'USD', -300, 118991);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (248, 45, 59, 'USD', 300, 300);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (250, 46, 13, 'SAT', -3000000, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (252, 46, 14, 'USD', 300, NULL);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (254, 46, 57, 'SAT', 3000000, 14608697);
INSERT INTO public.postings OVERRIDING SYSTEM VALUE VALUES (256, 46, 59, 'USD', -300, 0);

--
-- Data for Name: quotes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (1, 'bac2cbf09a810e80a6a4f929c96355a907cadfaa4a6279f26edd8eb710027135', 'lnbcrt54347830p1p4stzwtpp5htpvhuy6sy8gpf4yly5ujc644yru4ha2ff38nunwmk8twyqzwy6ssp5vdkffc5uzhvdpz40jdfzhwv9ca7axy5c447sp5cpl8jn8yvgcsashp5vh8jjp2a9r3grpmn3le677a50q29488c3qn759pv34ep9kcgt7mqxqzjccqzzs9qyysgq3r3av2sqcjs5754ydgpfsj4um0fzhuwglshq2ca6vehvzs75sjkz7jgy3gl4e57a57tt9u7r7nj85trkkk8xty207f8f97uegvz2p5gqlqh8e0', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, '$alice@localhost:40797', 'uma-1', 'receiving', 544, 544, 0, 0, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 500, 1.0869565217391304, 5434783, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Alice", "identifier": "$alice@localhost:40797"}', 'BGS33dVc7t34fRq05-2yAWth94xgAG4FHnF22NAgrx4', 'http://localhost:40797/uma/callback/ke09FMClPnz-zCm6U_s_vyURvIs84KqcMIy80UjIgeo', NULL, NULL, '2026-11-24 07:57:47.59709-05', '2026-11-24 08:07:47-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (2, '36024742a5d46f358ac083b0a3543251f32d66d905854b5e42a30bd1a8b553e4', 'lnbcrt54347830p1p4stzwtpp5xcpyws4963hntzkqswc2x4pj28ej6ekeqkz5khjz5v9ar29420jqsp5r7gtl3s9dmyrsstvgkt4kz9n9kn63upspfmj289c7jzvgzr8pjlqhp5cfk675ud96380j3552xuzff7y5e4h3wcrvyhqrmqm2tfl2qrvefqxqzjccqzzs9qyysgq8ugpstyk8x37zjj3uypfk2skas8n8jwk2lwwh7e6qd4dnzn3tgps6rkq6p5edc6cckllvkwmmjh7wed7vffgkwsqgd44xtlqvcexkacqusgt82', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, '$alice@localhost:40797', 'uma-1', 'receiving', 544, 544, 0, 0, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 500, 1.0869565217391304, 5434783, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Alice", "identifier": "$alice@localhost:40797"}', 'YVvTRtWcAWrsTDrD8MSTQGVC-Ghz8JKc__2JXrTxkCk', 'http://localhost:40797/uma/callback/d6ZZ6uggFVgWdP5QkXDWiGRrRGub5FPqeXNKYBl26Wc', NULL, NULL, '2026-11-24 07:57:47.611545-05', '2026-11-24 08:07:47-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (3, '19c5669b84a625bbc14b152264b26ceeace542fba5b3a4160e5f43f11be8e694', 'lnbcrt32467540p1p4stzwtpp5r8zkdxuy5cjmhs2tz53xfvnva6kw2shm5ke6g9swtaplzxlgu62qsp5c8hxu5kfrh0mxwttl0tjlhms02s3tgjjrg6dwnwg6lh09f3ndk0sdqqxqzjccqzzs9qyysgqt3n3s54egu7hr3qjm3v59ym9gna9ewtptnv3g4rd2z5jrvfmyx38v39c2jz28f9ykmxjaj63l7vms06l2r53kslfpczw0t49fk558nqqpl8gcv', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, '$yuki@localhost:40289', 'own', 'receiving', 325, 325, 0, 0, '{"code": "JPY", "name": "Japanese Yen", "symbol": "¥", "decimals": 0}', 500, 0.6493506493506493, 3246754, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Yuki", "identifier": "$yuki@localhost:40289"}', 'm30bTxcuVS3l1Gwg_-KEvsWmvc-Im-DGZychSRqb-ew', NULL, NULL, NULL, '2026-11-24 07:57:47.633744-05', '2026-11-24 08:07:47-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (4, '14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb', 'lnbcrt30u1p4stzwtpp5zs6x7hzknwfupp9w78xwrnpmaegxaez7fuu0dley4tmrkv39wtassp5e4dhm0h7zh0kr4wwjmjdp8hkklt9wktwaeu8kdstxnnrl30sdteshp53fenqa8rx2gv33h0f7ad4wfue8vmkyww0kwun77z0zs6vkx5chzqxqzjccqzzs9qyysgq7qvztr2czqa23ptu7dhghz6h8axc3jyrl6ms7dz4arl9ppacg3qje0f86vt9rn9967lm6sm0fw5ehx9pre9q8d4yymev0lfexgu57fcqw8fkcu', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, '$yuki@localhost:40797', 'uma-1', 'sending', 300, 300, 0, 0, '{"code": "JPY", "name": "Japanese Yen", "symbol": "¥", "decimals": 0}', 462, 0.6493506493506493, 3000000, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Yuki", "identifier": "$yuki@localhost:40797"}', 'egTsx_bix1Dwk-p622qJkP9sLee1R7fhvKEiDAe3k8o', 'http://localhost:40797/uma/callback/u6tZzk66FX7XiMrNQMh8D5oAyrVARlKHZaW9qfDVjzU', NULL, NULL, '2026-11-24 07:57:47.692386-05', '2026-11-24 08:07:47-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (5, 'b557e000c4782051dea3569ea6a3e7a58a37097f322f3cabd57c7331a927133b', 'lnbcrt30u1p4stzwtpp5k4t7qqxy0qs9rh4r2602dgl85k9rwztlxghne27403enr2f8zvassp56kckzzhvzjrc8de29jppxlhkefz6z827rl55jxfe2t0wuq6suhmshp5tekueggfhjv5g7cprznu2r788hgsaqr2ryqnymzjf9krt73j63zqxqzjccqzzs9qyysgq04ufwlt06nxdrl2z4y7d6kgwh3j08zpwrgw67ypnkx4vmd3rzx05xftz2y85860ve6mneatvadwh4x98gchddztalcj3z0hvyu4c88cqy5mgu3', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, 'bob@localhost:40797', 'lnurl', 'sending', 300, 300, 0, 0, '{"code": "SAT", "name": "Satoshi", "symbol": "₿", "decimals": 0}', 3000, 0.1, 3000000, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, NULL, 'xZbNGwPjjiTmE-Qg6kbLlmF7GsEYeFXF6LOLoUI60Z8', NULL, NULL, NULL, '2026-11-24 07:57:47.795635-05', '2026-11-24 08:07:47-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (6, '98f21fa84393eaa0b3f1eeb5bb58324c245fbe144a96491568fce76be2bb03bb', 'lnbcrt27173920p1p4stzwvpp5nrepl2zrj042pvl3a66mkkpjfsj9l0s5f2tyj9tglnnkhc4mqwassp58srtvm6jtye3hgyczavqvf6h4rys959rzs8524k3nhrlclvue2dshp5szq72vza7qwxwph22c3tsacn6r36menj2d7qscp2ghhpgv3pmmcqxqzjccqzzs9qyysgq5knsscn5pu44ac6hrjx4yfgnpqnwcge7qaj4e337xvpklcw49uxr64fqx6v7dlmfxrxn6tzvpjhd9trx5k98z0qldvmk0kql7mvff2sqhnlt2s', 'alice', NULL, 1, '$alice@localhost:40797', 'uma-1', 'receiving', 272, 272, 0, 0, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 250, 1.0869565217391304, 2717392, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Alice", "identifier": "$alice@localhost:40797"}', 'Q3GWOUaldZnAg6DJnaF14Xf4RUeP1Nj7SS9EsUPOrfM', 'http://localhost:40797/uma/callback/80kDfnEOHUrS3ywqqfJayHABU923aDrvz9AX7zsyHWM', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqmnjdcpysergepnv33rqwfdxqcnyd3dx3nr2vpd8q6rqwfdxdjrjwfcxvexgwtzxd3syqsqlgp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzspqy9ss4j92fy5vj29gsx9z6r5w3cr5te0d3hkxctvdphhxap6xscrwwfh9a6k6cf0wpshjtmpd35kxef0d9h8vmmfvdjj7v35vsekgc3s8yknqvfjxcknge34xqknsdps8yknxepe8yurxvny893rxcmygccygq3qfr9xqnzguez9ftsf0lml02fuf8lhpmgqgpxt4fu7qpf534elztksygzcpjvccgnk6pume2sz7jawye54ltefr885s2c0dgmdn035kf3pnqvnaj2z', '24d3db09-0126-4f50-8409-3d99832d9b3c', '2026-11-24 07:57:48.24361-05', '2026-11-24 08:07:48-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (7, 'c139173f713109451eb0e32147fab1258b8dadbb647a83693ab57e169913edf3', 'lnbcrt21739140p1p4stzwvpp5cyu3w0m3xyy5284suvs50743yk9cmtdmv3agx6f6k4lpdxgnahessp5av9wyg6hu9nt00uxjtk48u2dnml6v5jk8xvk8drapyxu5c8zdayshp5arm3hea3lldmg9h2mzkz2mf4332q57me3jc09udxyfcv4y3sfjcqxqzjccqzzs9qyysgq5sx83u00s72an09vv8w5s7fjkxy2w4g9ac40ag7vw7sf7ckzty3knq8msuyeeqyc8agtn37rnettpcft3fh7x75kh2qhrjlp4tp60wgq5r0ftv', 'alice', NULL, 1, '$alice@localhost:40797', 'uma-1', 'receiving', 218, 218, 0, 0, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 200, 1.0869565217391304, 2173914, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Alice", "identifier": "$alice@localhost:40797"}', 'ucrZVt6Kxm9ksOq3V6U5i1TUeya3gJz5mZzRtyKu-M0', 'http://localhost:40797/uma/callback/dznh96BTuxvRZtOl_rp7hEpOcBkQ5UNXjgxCIkTnVZc', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqmnjdcpysenwwtrxesn2c3dvcerjdedxsekgcedvgmkxvfd89sn2ephvs6kyer9xccsyqsqeqp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzgky3skc6trv4qxcmmrv9kxsmmnwsargvpj8qus5qgppvy9v32jf9ryj32yp3gksar5wqaz7tmvda3kzmrgdaehgw35xqmnjde0w4kkztmsv9uj7ctvd93k2tmfdemx76trv5hnxdeevvmxzdtz94nrywfh956rxerr943rwce395ukzdtyxajr2cnyv5mrzezxxpzqygr6868n6nl8g2u5a7hqwy2wt8kss7xungds80nfvj69hqapwr42espzqkza2gye24cnltg20e9vqh6cu4hf4wln0kkjwh6lstn6nq5uh02gufcwp6', '379c6a5b-f297-43dc-b7c1-9a5d7d5bde61', '2026-11-24 07:57:48.448745-05', '2026-11-24 08:07:48-05');
INSERT INTO public.quotes OVERRIDING SYSTEM VALUE VALUES (8, '255c6d1d9f6ba9b13618d6a81ec8d5059fa7c87617cf22fea3fd09c0b932d996', 'lnbcrt30u1p4stzw3pp5y4wx68vldw5mzdsc665pajx4qk060jrkzl8j9l4rl5yupwfjmxtqsp5zej54jm44phjw9t5se5t77qpy9w8vtseej8hsx40degx0f609emqhp5faa829hfqa36t474yth2z094xsjst8y63a9qdj7ej3sqh7e2ekjsxqzjccqzzs9qyysgqxxj9kjutman75wsf7lc7mrml6gqsrwx46t6xfcgzlcqf4ehm8clkvnzgjvmqrx4cnqf6uf6c9cxy5a50tepmz2ydv3282rf678cnhuqpgflraz', 'alice', 'b2682b1f-1f89-4534-8684-529573d9d9db', 1, '$bob@localhost:40797', 'uma-1', 'sending', 300, 300, 0, 0, '{"code": "SAT", "name": "Satoshi", "symbol": "₿", "decimals": 0}', 3000, 0.1, 3000000, 0, '828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', NULL, '{"name": "Bob", "identifier": "$bob@localhost:40797"}', '__ZyEbMnNweBrNvG4YlYEgFxs5AgVwQetMx-JrWxdLo', 'http://localhost:40797/uma/callback/nmpjWxgLO53tmn_KTXa1W6I-tWRoG0vhwx8gqJGesps', NULL, NULL, '2026-11-24 07:57:53.63178-05', '2026-11-24 08:07:53-05');

--
-- Data for Name: rate_snapshots; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_snapshots VALUES ('828b86055782c348c2841382523c7696a97e341b148ea8ff8630f7d9dcae4d94', '[["SAT", "1000", "1"], ["USD", "10000", "1"], ["EUR", "1000000", "92"], ["GBP", "1000000", "79"], ["MXN", "1000000", "1840"], ["BRL", "1000000", "535"], ["PHP", "1000000", "5860"], ["INR", "1000000", "8450"], ["NGN", "1000000", "164000"], ["JPY", "1000000", "154"], ["KWD", "1000000", "307"]]', '2026-11-24 07:57:44.869521-05');

--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('CFmyZQakLupSuOzRbVhFtmSYFjeCJP1B70OyIgjcCCU', 'alice', '2026-11-24 07:57:45.926839-05', '2026-11-24 19:57:45.926839-05', NULL);
INSERT INTO public.sessions VALUES ('7Uoq8d87vP659CSNHL9DqUUvEKr1htxvVZflT8nvoHo', 'bob', '2026-11-24 07:57:46.066275-05', '2026-11-24 19:57:46.066275-05', NULL);
INSERT INTO public.sessions VALUES ('-WYsOmLiJNMEMQMuqFzDYIIPNEy_KmWDU6YXAw0YvoA', 'alice', '2026-11-24 07:57:45.96563-05', '2026-11-24 19:57:45.96563-05', '2026-11-24 07:57:46.129507-05');
INSERT INTO public.sessions VALUES ('a57388bf-9ff7-4407-85f4-f0211e2b1c61', 'alice', '2026-11-24 07:57:46.167893-05', '2026-11-24 08:57:46.167893-05', NULL);
INSERT INTO public.sessions VALUES ('fb890d34-16cf-4db7-afe8-20504ee6cdcb', 'alice', '2026-11-24 07:57:46.222252-05', '2026-11-24 08:57:46.222252-05', NULL);
INSERT INTO public.sessions VALUES ('3fcb9653-e329-4aa9-95b0-25b58a1c0994', 'alice', '2026-11-24 07:57:46.242427-05', '2026-11-24 08:57:46.242427-05', NULL);
INSERT INTO public.sessions VALUES ('59a17119-26fd-4594-87e1-9607d9f93ab9', 'bob', '2026-11-24 07:57:46.251873-05', '2026-11-24 08:57:46.251873-05', NULL);
INSERT INTO public.sessions VALUES ('c1dabe1f-0ed5-4e50-9822-10dfef68ab93', 'yuki', '2026-11-24 07:57:46.316806-05', '2026-11-24 08:57:46.316806-05', NULL);
INSERT INTO public.sessions VALUES ('b29f2c01-bb1b-41fe-bc93-d5079784ec96', 'alice', '2026-11-24 07:57:49.057413-05', '2026-11-24 08:57:49.057413-05', NULL);
INSERT INTO public.sessions VALUES ('aee43176-f177-4813-95a2-b8d5d1e18270', 'bob', '2026-11-24 07:57:51.791402-05', '2026-11-24 08:57:51.791402-05', NULL);

--
-- Data for Name: uma_callback_inbox; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (1, '1rwWdpeqwm-dDNTij574G55KL8rnmB2fEcwQhLZeI7g', 'localhost:40797', '{"utxos": [{"utxo": "136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2:0", "amountMsats": 3000000}], "signature": "3045022100fca1c1787d42ce82535b346689c7cdf83f1c6399b6f118c0cefbaa1394dba932022075bd14e963d927b0698d07b72fcb4c7d31d277a086e0348be9baa3331d3a00ee", "vaspDomain": "localhost:40797", "signatureNonce": "1460716351", "signatureTimestamp": 1795525068}', '2026-11-24 07:57:48.955069-05');
INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (2, 'YVvTRtWcAWrsTDrD8MSTQGVC-Ghz8JKc__2JXrTxkCk', 'localhost:40797', '{"utxos": [{"utxo": "36024742a5d46f358ac083b0a3543251f32d66d905854b5e42a30bd1a8b553e4:0", "amountMsats": 5434783}], "signature": "3045022100fee18aeaabb2eaa0ad88f7e57cf2e081c1ea33413314cca369735f494bf81bfb02204ca012a196aa5f2ab8ae2d53ee2185c2a95fd093e9a34b5dab454942cff36906", "vaspDomain": "localhost:40797", "signatureNonce": "1142090050", "signatureTimestamp": 1795525068}', '2026-11-24 07:57:48.970277-05');
INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (3, 'egTsx_bix1Dwk-p622qJkP9sLee1R7fhvKEiDAe3k8o', 'localhost:40797', '{"utxos": [{"utxo": "14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb:0", "amountMsats": 3000000}], "signature": "3045022100e663d0ca4cdcf7d9f044fec6e941e6c8bc01ef8857252961c12d3b4dcd05fb8f02204352a81e248441263453013a14b7e5c97912bcbabfb8fe69057d1f89fdc66f05", "vaspDomain": "localhost:40797", "signatureNonce": "3496869108", "signatureTimestamp": 1795525068}', '2026-11-24 07:57:48.982978-05');
INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (4, 'Q3GWOUaldZnAg6DJnaF14Xf4RUeP1Nj7SS9EsUPOrfM', 'localhost:40797', '{"utxos": [{"utxo": "98f21fa84393eaa0b3f1eeb5bb58324c245fbe144a96491568fce76be2bb03bb:0", "amountMsats": 2717392}], "signature": "304402207fe2a4aaffb221a8f8845161cc7eb41d5a455a9c78f1cb24039456171f42e6f90220348fffea1ed79b952ebcd306041ccddfa01cb10bca01a6d25c02bd9cf53477cb", "vaspDomain": "localhost:40797", "signatureNonce": "580636313", "signatureTimestamp": 1795525068}', '2026-11-24 07:57:48.983663-05');
INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (5, 'R474Jsv349zgCapwXCo5wyIzFcOZsciOfgjhJGlxj4w', 'localhost:40797', '{"utxos": [{"utxo": "f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68:0", "amountMsats": 2717392}], "signature": "3045022100defbf4b10cf34a757e95c82055099c572a446443144739a8c6ba0804d4133c3c0220427cedc529be8f73598622122fa5c281061d3a3ef9e6f66b129923e1cbd3c624", "vaspDomain": "localhost:40797", "signatureNonce": "2915225381", "signatureTimestamp": 1795525068}', '2026-11-24 07:57:49.011572-05');
INSERT INTO public.uma_callback_inbox OVERRIDING SYSTEM VALUE VALUES (6, 'ucrZVt6Kxm9ksOq3V6U5i1TUeya3gJz5mZzRtyKu-M0', 'localhost:40797', '{"utxos": [{"utxo": "c139173f713109451eb0e32147fab1258b8dadbb647a83693ab57e169913edf3:0", "amountMsats": 2173914}], "signature": "304402205c64e76ac9594b6f1a0aae162faba11731e3b7f3abe82de36a0d4a7fe66d65430220748a97a0c504b8cb8d8b3bd5f2657984258c6012431a1219b2393df425de83a0", "vaspDomain": "localhost:40797", "signatureNonce": "3944314845", "signatureTimestamp": 1795525069}', '2026-11-24 07:57:49.016075-05');

--
-- Data for Name: uma_callback_outbox; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (1, '36024742a5d46f358ac083b0a3543251f32d66d905854b5e42a30bd1a8b553e4', 'sent', 'http://localhost:40797/uma/callback/d6ZZ6uggFVgWdP5QkXDWiGRrRGub5FPqeXNKYBl26Wc', 5434783, 1, '2026-11-24 07:57:58.583467-05', '2026-11-24 07:57:48.785994-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (3, '98f21fa84393eaa0b3f1eeb5bb58324c245fbe144a96491568fce76be2bb03bb', 'sent', 'http://localhost:40797/uma/callback/80kDfnEOHUrS3ywqqfJayHABU923aDrvz9AX7zsyHWM', 2717392, 1, '2026-11-24 07:57:58.583467-05', '2026-11-24 07:57:48.785994-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (5, '136f0179c67a278d86f0892026776095b602cd0ba2196f6bc78c5d32fc004ab2', 'received', 'http://localhost:40797/uma/callback/pcLhbXoyEknFOoP_bZUDiCovLLUvBt1v2RNts-EF4PM', 3000000, 1, '2026-11-24 07:57:58.583467-05', '2026-11-24 07:57:48.785994-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (4, 'c139173f713109451eb0e32147fab1258b8dadbb647a83693ab57e169913edf3', 'sent', 'http://localhost:40797/uma/callback/dznh96BTuxvRZtOl_rp7hEpOcBkQ5UNXjgxCIkTnVZc', 2173914, 1, '2026-11-24 07:57:58.583467-05', '2026-11-24 07:57:48.785994-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (2, '14346f5c569b93c084aef1cce1cc3bee506ee45e4f38f6ff24aaf63b322572fb', 'sent', 'http://localhost:40797/uma/callback/u6tZzk66FX7XiMrNQMh8D5oAyrVARlKHZaW9qfDVjzU', 3000000, 1, '2026-11-24 07:57:58.583467-05', '2026-11-24 07:57:48.785994-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (6, 'f9fadd66d2f17c8eecb844f0f3335afece7587ed5ea26ccb42d8aa1a8d054c68', 'received', 'http://localhost:40797/uma/callback/J3dSwdwUQ-xBcz_4uUP0kNnIM9CXebnudQI0te3HdQY', 2717392, 1, '2026-11-24 07:57:58.786583-05', '2026-11-24 07:57:48.800663-05', NULL, NULL, '2026-11-24 07:57:48.503594-05');
INSERT INTO public.uma_callback_outbox OVERRIDING SYSTEM VALUE VALUES (7, '255c6d1d9f6ba9b13618d6a81ec8d5059fa7c87617cf22fea3fd09c0b932d996', 'sent', 'http://localhost:40797/uma/callback/nmpjWxgLO53tmn_KTXa1W6I-tWRoG0vhwx8gqJGesps', 3000000, 1, '2026-11-24 07:58:03.827903-05', NULL, NULL, 'FetchError: no answer could be had', '2026-11-24 07:57:53.826745-05');

--
-- Data for Name: uma_certificates; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_certificates VALUES ('signing', '0441073dc5924a2b543d5b8ac894d76a7888ff6d11b1bd6f034a29970f8a36c2b751e1f5fb8ac8cf8dfbafcfcb5f25e5c3150ccb4db46ad31130c10e7f0cccfe1c', '-----BEGIN CERTIFICATE-----
MIIBkjCCATigAwIBAgIQUCFI8HTAHBzW4xo8N0qy4zAKBggqhkjOPQQDAjAaMRgw
FgYDVQQDDA9sb2NhbGhvc3Q6NDAyODkwHhcNMjYxMTIzMTI1NzQ0WhcNMzYxMTI0
MTI1NzQ0WjAaMRgwFgYDVQQDDA9sb2NhbGhvc3Q6NDAyODkwVjAQBgcqhkjOPQIB
BgUrgQQACgNCAARBBz3FkkorVD1bisiU12p4iP9tEbG9bwNKKZcPijbCt1Hh9fuK
yM+N+6/Py18l5cMVDMtNtGrTETDBDn8MzP4co2MwYTAPBgNVHRMBAf8EBTADAQH/
MA4GA1UdDwEB/wQEAwICjDAdBgNVHQ4EFgQUShC75Z86H0dkuF99Z8f0zcD7thMw
HwYDVR0jBBgwFoAUShC75Z86H0dkuF99Z8f0zcD7thMwCgYIKoZIzj0EAwIDSAAw
RQIhAOZH4fTYg6MfcagR2rDgH4BQokc4Aj9UOaOeTMukXZZBAiAq3cj29FRKVe+m
syMNOc5KjoOjwRjzPMyZwBClfpJl/g==
-----END CERTIFICATE-----
', '2026-11-24 07:57:44.931281-05');
INSERT INTO public.uma_certificates VALUES ('encryption', '0461c12f20742a2f21573c1f680dfd1fa3c5602cc2e16c29787fa5eb91c8b61b9508c43702b08738c1fedd15f85afc4d8925cb24c42d3230c9b0f9293812d5db2c', '-----BEGIN CERTIFICATE-----
MIIBkjCCATigAwIBAgIQUEkoQ4dDSvLc+lB/Igt73TAKBggqhkjOPQQDAjAaMRgw
FgYDVQQDDA9sb2NhbGhvc3Q6NDAyODkwHhcNMjYxMTIzMTI1NzQ1WhcNMzYxMTI0
MTI1NzQ1WjAaMRgwFgYDVQQDDA9sb2NhbGhvc3Q6NDAyODkwVjAQBgcqhkjOPQIB
BgUrgQQACgNCAARhwS8gdCovIVc8H2gN/R+jxWAswuFsKXh/peuRyLYblQjENwKw
hzjB/t0V+Fr8TYklyyTELTIwybD5KTgS1dsso2MwYTAPBgNVHRMBAf8EBTADAQH/
MA4GA1UdDwEB/wQEAwICjDAdBgNVHQ4EFgQUfDMT5Jvsl7W3Oo/+RyilV4qLOd8w
HwYDVR0jBBgwFoAUfDMT5Jvsl7W3Oo/+RyilV4qLOd8wCgYIKoZIzj0EAwIDSAAw
RQIgcdeChXc6IWflJ0o0qWMaWrmQG8mk2wAD7O2IdiAOHD0CIQCQBuRfY6gqHWDZ
/fnSwRYmAVBHxRBjhPXYByr0TdBzqw==
-----END CERTIFICATE-----
', '2026-11-24 07:57:45.237113-05');

--
-- Data for Name: uma_invoices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_invoices OVERRIDING SYSTEM VALUE VALUES (1, 'd3c7e3c3-2f01-4dca-b04d-7a2aca494f48', 'alice', 2, 250, 1, NULL, 'Lamp', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqerswgpy3jrxcehv5ekxvedxfnrqvfdx3jxxcfdvgcrgepdxasnyctrvy6rjdrxxsuqyqsqlgp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzspqy9ss4j92fy5vj29gsx9z6r5w3cr5te0d3hkxctvdphhxap6xscrywpe9a6k6cf0wpshjtmpd35kxef0d9h8vmmfvdjj7epnvvmk2vmrxvknye3sxykngerrvykkyvp5vsknwcfjv93kzdpex3nrgwrygccygq3qdquch2f485spg0xg8f65mv8gfk6gz5r6987uqcy5ffk5s3c6j3kqygpnu8ngew2z9zdvgmwmx9u9a9gvyl9drpe0lldunegale5phs7sluqlqvrh', '2026-11-24 07:57:48.070288-05', '2026-11-24 08:57:48-05');
INSERT INTO public.uma_invoices OVERRIDING SYSTEM VALUE VALUES (2, '088b7aea-1aa9-4240-ae35-d4660b213a06', 'alice', 2, 250, 3, NULL, 'Lamp', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqerswgpyscrswrzxask2cfdx9skzwfdxsergvpdv9jnxdfdvs6rvd3svgerzvmpxqmqyqsqlgp3xqqrg424yqgyg46hymczq03g9tqrqypqgprt95tvcpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzspqv9ss4j92fy5vj29gsx9z6r5w3cr5te0d3hkxctvdphhxap6xscrywpe9a6k6cf0wpshjtmpd35kxef0d9h8vmmfvdjj7vpc8p3rwct9vyknzctp8ykngv35xqkkzefnx5kkgdpkxccxyv33xdsnqdnygccygq3qpgppmv47fws4zsc57rdjrqh94z3du9zsxy49typk5h2trz3qw77qygrrnx2mgutaxl608uzehjcsp3nggmflhn3v22mm69y007w50p0rpslnqjch', '2026-11-24 07:57:48.293575-05', '2026-12-24 07:57:48-05');
INSERT INTO public.uma_invoices OVERRIDING SYSTEM VALUE VALUES (3, 'f8a66a2f-cbcc-4822-9c2f-1df0542b9ccb', 'alice', 2, 250, 1, '$bob@localhost:40797', 'Lamp', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqerswgpy3nrscfkxesnye3dvd3xxcedxsuryv3d893nye3dx9jxvvp4xsexywtrvd3qyqsqlgp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzg5y33x7cjqd3hkxctvdphhxap6xscrwwfhpgqszzcg2ez4yj2xf9z5grz3dp68gup69uhkcmmrv9kxsmmnwsargvpj8quj7atdvyhhqcte9askc6trv5hkjmnkda5kxef0vcuxzd3kvyexvttrvf3kxtf58qerytfevvexvtf3v3nrqdf5xf3rjcmrvfjywvz9qgsspahmvee4z09khfvzgmxjpwjrpfvaae7zxqxfxuncfqgv26zhu69uqgspmgdd9n89mq9ucnezhq5medaughngyd7yxf60sx85c3qmqw8v7lsq6ctz7', '2026-11-24 07:57:48.297628-05', '2026-11-24 08:57:48-05');

--
-- Data for Name: uma_nonces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3492474976', '2026-11-24 08:21:47.575-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '2198557890', '2026-11-24 08:21:47.593-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3828485215', '2026-11-24 08:21:47.604-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1799712454', '2026-11-24 08:21:47.61-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3908422994', '2026-11-24 08:21:47.671-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3081524343', '2026-11-24 08:21:47.684-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '2017460985', '2026-11-24 08:21:47.856-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '2252215759', '2026-11-24 08:21:47.915-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1574579036', '2026-11-24 08:21:48.097-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1037471467', '2026-11-24 08:21:48.228-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1480036400', '2026-11-24 08:21:48.439-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1460716351', '2026-11-24 08:21:48.954-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '1142090050', '2026-11-24 08:21:48.966-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3496869108', '2026-11-24 08:21:48.982-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '580636313', '2026-11-24 08:21:48.983-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '2915225381', '2026-11-24 08:21:49.01-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '3944314845', '2026-11-24 08:21:49.015-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '502610837', '2026-11-24 08:21:53.496-05');
INSERT INTO public.uma_nonces VALUES ('localhost:40797', '196767402', '2026-11-24 08:21:53.627-05');

--
-- Data for Name: uma_pay_requests; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_pay_requests VALUES (8, 'own', '$yuki@localhost:40289', '$alice@localhost:40289', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-24 07:57:47.63162-05');
INSERT INTO public.uma_pay_requests VALUES (9, 'uma-1', '$alice@localhost:40289', '$alice@localhost:40797', '{"name": "Alice", "utxos": [], "kycStatus": "VERIFIED", "identifier": "$alice@localhost:40797", "nodePubKey": "0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72"}', '\xd0bf9fe406ffaa16b345501decab4e66c1ca8f3790a7cd811f6da83bcddacc42926f0b603aa04b37f8b15df1f6e663c547d4beaba59d01e98c197ef4923d62410ac645225ac282b9b9fe4c7ca06e657b8093adcade191398c5d11346c9ffd6bf2f73985d6ecf1e935688610f73689b5a9e4e865008334da8b76ab8279ba60fcb5164774155adef239d79e2ccc68c57873361861e5523249fb593086e593f3e5358a37ea82f561bfc7b631a9985c9fd2c58a23fc5782351c0d8a9a3b2b44d623b', NULL, NULL, '1rwWdpeqwm-dDNTij574G55KL8rnmB2fEcwQhLZeI7g', 'http://localhost:40797/uma/callback/pcLhbXoyEknFOoP_bZUDiCovLLUvBt1v2RNts-EF4PM', NULL, '2026-11-24 07:57:47.922267-05');
INSERT INTO public.uma_pay_requests VALUES (10, 'lnurl', '$bob@localhost:40289', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '127.0.0.1', '2026-11-24 07:57:47.989981-05');
INSERT INTO public.uma_pay_requests VALUES (11, 'uma-1', '$alice@localhost:40289', '$bob@localhost:40797', '{"name": "Bob", "utxos": [], "kycStatus": "VERIFIED", "identifier": "$bob@localhost:40797", "nodePubKey": "0347c381ed470a353318c8d5199fd8da3c0d8206e214575c218b833a0e84038e72"}', '\x79424c4e07ec84ba318dc2b19d125de47cdb16d2eb9ffcbd288cebb1301632a266c7fd4936fbb03869d9aa5a2cf81e706e6e8b4e71cb3e16697da67a858c2ddd2a0669b78ff7c46c2d09ed7fd94c57b5738d17153a48cea329c2e8689b5b9402cb6cff9cf5f8002ecacf8de54f37c877bb5484b6559f88f9f5c7144e76296e1ebb9b9e8a47ae35dd5bea4f0b0bbb8522f2a26b831f19e3862b97743e551a5e2ac37dbeec2b011e4af8a507bfb0674f57ea79bd7d13c973db9c6dda31', NULL, 1, 'R474Jsv349zgCapwXCo5wyIzFcOZsciOfgjhJGlxj4w', 'http://localhost:40797/uma/callback/J3dSwdwUQ-xBcz_4uUP0kNnIM9CXebnudQI0te3HdQY', NULL, '2026-11-24 07:57:48.104936-05');

--
-- Data for Name: uma_remote_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_remote_keys VALUES ('localhost:40797', '{"signing": "04b1d270a1e7f070b4cec95beee512db17d94c4e8c7193f19f6b42347f3529a90410ac64113deaf95421f4a7a8c61116eb264a6515e94f831e24880cca0b2f3886", "encryption": "04215a17ae7abc4d8e3933208f4bee6e6b334ad69e7d2d6e8fc343f08e1cabcd1daa8f3b5de455471a2c95d612f96e0beb346ee3226a2fd8490c11fbd2f7e7c728"}', '2026-11-24 07:57:47.572-05', '2026-11-24 08:02:47-05');

--
-- Data for Name: uma_requests; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.uma_requests OVERRIDING SYSTEM VALUE VALUES (2, 'alice', '$alice@localhost:40797', '379c6a5b-f297-43dc-b7c1-9a5d7d5bde61', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqmnjdcpysenwwtrxesn2c3dvcerjdedxsekgcedvgmkxvfd89sn2ephvs6kyer9xccsyqsqeqp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzgky3skc6trv4qxcmmrv9kxsmmnwsargvpj8qus5qgppvy9v32jf9ryj32yp3gksar5wqaz7tmvda3kzmrgdaehgw35xqmnjde0w4kkztmsv9uj7ctvd93k2tmfdemx76trv5hnxdeevvmxzdtz94nrywfh956rxerr943rwce395ukzdtyxajr2cnyv5mrzezxxpzqygr6868n6nl8g2u5a7hqwy2wt8kss7xungds80nfvj69hqapwr42espzqkza2gye24cnltg20e9vqh6cu4hf4wln0kkjwh6lstn6nq5uh02gufcwp6', 200, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 'open', '2026-11-24 07:57:48.346592-05', '2026-11-24 08:57:48-05');
INSERT INTO public.uma_requests OVERRIDING SYSTEM VALUE VALUES (3, 'alice', '$alice@localhost:40797', '35cff5d1-b347-48af-b54b-0f4e0712eb46', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqmnjdcpysen2cmxvc6kgvfdvgengdedxsuxze3dvg6ngc3dxpnrgefsxucnyetzxsmqyqsp9sp3xqqrg424yqgyg46hymczq03g9tqrqypqgprtqktacpgpqyrzqcm0d4cxc6tpde3k2w33935kgetww35kv6t9wgarztrwv9kk2w3squrnqt3n9scjuvqgqgqfvzgky3skc6trv4qxcmmrv9kxsmmnwsargvpj8qus5qgppvy9v32jf9ryj32yp3gksar5wqaz7tmvda3kzmrgdaehgw35xqmnjde0w4kkztmsv9uj7ctvd93k2tmfdemx76trv5hnxdtrvenr2ep3943rxdph956rsctx943r2drz95cxvdr9xqmnzvn9vg6rvez8xpzsyggq63v4uqjfxt7wdxcs9nyx0v5wlvxq23tag238f0qzn2c5srxyk37qygqv9vt4v2qfr3mvyqpdrhy0fx0536nl85mvtfmyak7xkswrwyly55ldme50', 300, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 'open', '2026-11-24 07:57:48.384433-05', '2026-11-24 08:57:48-05');
INSERT INTO public.uma_requests OVERRIDING SYSTEM VALUE VALUES (1, 'alice', '$alice@localhost:40797', 'fe02a786-4f13-4e5e-861d-009a131ee4fd', 'uma1qqtzgctvd93k2srvda3kzmrgdaehgw35xqmnjdcpy3nx2vpjvymnsd3dx3nrzvedx3jn2efd8qmrzepdxqcrjcf3xvck2ef5vejqyqtyqvfsqq6924fqzpz9w4ex7qsru2p2cqcpqgzqg6c9jlwq2qgpqcsxxmmdwpkxjctwvdjn5vfvd9jx2mn5d9nxjetj8gcjcmnpd4jn5vq8quczuvevxyhrqzqzqztqj93yv9kxjcm9gpkx7cmpd35x7um58g6rqv3c8y9qzqgtppty25jfgey523qv2958gars8ghj7mr0vdskc6r0wd6r5dpsxuunwtm4d4sj7urp0yhkzmrfvdjj76twwehkjcm99anx2vpjvymnsd3dx3nrzvedx3jn2efd8qmrzepdxqcrjcf3xvck2ef5vejxg33sgspzq8cxxe6q5aatzd0mj65jn9ttys745fkwzxdku9hqafsalk4yh06jqgsqas2296a8snqmu60u9pdd5ljq2r5w9wxqm5nz7m9fay85zsfkjpgj86pdu', 100, '{"code": "EUR", "name": "Euro", "symbol": "€", "decimals": 2}', 'declined', '2026-11-24 07:57:48.318888-05', '2026-11-24 08:57:48-05');

--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('alice', 'Alice', 'none', 'active', '2026-10-31 20:00:00-04');
INSERT INTO public.users VALUES ('bob', 'Bob', 'none', 'active', '2026-10-31 20:00:01-04');
INSERT INTO public.users VALUES ('yuki', 'Yuki', 'none', 'active', '2026-10-31 20:00:02-04');
INSERT INTO public.users VALUES ('khalid', 'Khalid', 'none', 'active', '2026-10-31 20:00:03-04');
INSERT INTO public.users VALUES ('penny', 'Penny', 'none', 'active', '2026-10-31 20:00:04-04');

--
-- Data for Name: wallets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (1, 'alice', 'USD', 0, '2026-11-24 07:57:45.562909-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (2, 'alice', 'EUR', 1, '2026-11-24 07:57:45.562909-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (3, 'alice', 'SAT', 2, '2026-11-24 07:57:45.562909-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (4, 'bob', 'SAT', 0, '2026-11-24 07:57:45.571306-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (5, 'yuki', 'JPY', 0, '2026-11-24 07:57:45.582402-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (6, 'khalid', 'KWD', 0, '2026-11-24 07:57:45.602407-05');
INSERT INTO public.wallets OVERRIDING SYSTEM VALUE VALUES (7, 'penny', 'USD', 0, '2026-11-24 07:57:45.607428-05');

--
-- Name: receipts_id_seq; Type: SEQUENCE SET; Schema: lightning_node; Owner: -
--

SELECT pg_catalog.setval('lightning_node.receipts_id_seq', 5, true);

--
-- Name: reconciliation_items_id_seq; Type: SEQUENCE SET; Schema: lightning_node; Owner: -
--

SELECT pg_catalog.setval('lightning_node.reconciliation_items_id_seq', 2, true);

--
-- Name: incoming_payments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.incoming_payments_id_seq', 6, true);

--
-- Name: invoices_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.invoices_id_seq', 11, true);

--
-- Name: journal_entries_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.journal_entries_id_seq', 46, true);

--
-- Name: ledger_accounts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.ledger_accounts_id_seq', 74, true);

--
-- Name: payments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.payments_id_seq', 17, true);

--
-- Name: postings_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.postings_id_seq', 256, true);

--
-- Name: quotes_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.quotes_id_seq', 8, true);

--
-- Name: uma_callback_inbox_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.uma_callback_inbox_id_seq', 6, true);

--
-- Name: uma_callback_outbox_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.uma_callback_outbox_id_seq', 7, true);

--
-- Name: uma_invoices_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.uma_invoices_id_seq', 3, true);

--
-- Name: uma_requests_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.uma_requests_id_seq', 3, true);

--
-- Name: wallets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.wallets_id_seq', 7, true);

--
-- Name: receipts receipts_pkey; Type: CONSTRAINT; Schema: lightning_node; Owner: -
--

ALTER TABLE ONLY lightning_node.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (payer, payment_hash, attempt);

--
-- Name: reconciliation_items reconciliation_items_pkey; Type: CONSTRAINT; Schema: lightning_node; Owner: -
--

ALTER TABLE ONLY lightning_node.reconciliation_items
    ADD CONSTRAINT reconciliation_items_pkey PRIMARY KEY (id);

--
-- Name: sends sends_pkey; Type: CONSTRAINT; Schema: lightning_node; Owner: -
--

ALTER TABLE ONLY lightning_node.sends
    ADD CONSTRAINT sends_pkey PRIMARY KEY (send_id);

--
-- Name: _prisma_migrations _prisma_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public._prisma_migrations
    ADD CONSTRAINT _prisma_migrations_pkey PRIMARY KEY (id);

--
-- Name: address_payment_keys address_payment_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_payment_keys
    ADD CONSTRAINT address_payment_keys_pkey PRIMARY KEY (connection_id, idempotency_key);

--
-- Name: connections connections_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (id);

--
-- Name: incoming_payments incoming_payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incoming_payments
    ADD CONSTRAINT incoming_payments_pkey PRIMARY KEY (id);

--
-- Name: invoices invoices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);

--
-- Name: journal_entries journal_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal_entries
    ADD CONSTRAINT journal_entries_pkey PRIMARY KEY (id);

--
-- Name: ledger_accounts ledger_accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_pkey PRIMARY KEY (id);

--
-- Name: lightning_cursors lightning_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lightning_cursors
    ADD CONSTRAINT lightning_cursors_pkey PRIMARY KEY (node_key);

--
-- Name: login_grants login_grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_grants
    ADD CONSTRAINT login_grants_pkey PRIMARY KEY (id);

--
-- Name: loss_acknowledgements loss_acknowledgements_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.loss_acknowledgements
    ADD CONSTRAINT loss_acknowledgements_pkey PRIMARY KEY (payment_id);

--
-- Name: payment_write_offs payment_write_offs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_write_offs
    ADD CONSTRAINT payment_write_offs_pkey PRIMARY KEY (payment_id);

--
-- Name: payments payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (id);

--
-- Name: postings postings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_pkey PRIMARY KEY (id);

--
-- Name: quotes quotes_callback_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_callback_id_key UNIQUE (callback_id);

--
-- Name: quotes quotes_payment_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_payment_hash_key UNIQUE (payment_hash);

--
-- Name: quotes quotes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_pkey PRIMARY KEY (id);

--
-- Name: rate_snapshots rate_snapshots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_snapshots
    ADD CONSTRAINT rate_snapshots_pkey PRIMARY KEY (id);

--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

--
-- Name: uma_callback_inbox uma_callback_inbox_callback_id_domain_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_callback_inbox
    ADD CONSTRAINT uma_callback_inbox_callback_id_domain_key UNIQUE (callback_id, domain);

--
-- Name: uma_callback_inbox uma_callback_inbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_callback_inbox
    ADD CONSTRAINT uma_callback_inbox_pkey PRIMARY KEY (id);

--
-- Name: uma_callback_outbox uma_callback_outbox_payment_hash_direction_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_callback_outbox
    ADD CONSTRAINT uma_callback_outbox_payment_hash_direction_key UNIQUE (payment_hash, direction);

--
-- Name: uma_callback_outbox uma_callback_outbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_callback_outbox
    ADD CONSTRAINT uma_callback_outbox_pkey PRIMARY KEY (id);

--
-- Name: uma_certificates uma_certificates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_certificates
    ADD CONSTRAINT uma_certificates_pkey PRIMARY KEY (purpose);

--
-- Name: uma_invoices uma_invoices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_invoices
    ADD CONSTRAINT uma_invoices_pkey PRIMARY KEY (id);

--
-- Name: uma_invoices uma_invoices_uuid_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_invoices
    ADD CONSTRAINT uma_invoices_uuid_key UNIQUE (uuid);

--
-- Name: uma_nonces uma_nonces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_nonces
    ADD CONSTRAINT uma_nonces_pkey PRIMARY KEY (domain, nonce);

--
-- Name: uma_pay_requests uma_pay_requests_callback_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_pay_requests
    ADD CONSTRAINT uma_pay_requests_callback_id_key UNIQUE (callback_id);

--
-- Name: uma_pay_requests uma_pay_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_pay_requests
    ADD CONSTRAINT uma_pay_requests_pkey PRIMARY KEY (invoice_id);

--
-- Name: uma_remote_keys uma_remote_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_remote_keys
    ADD CONSTRAINT uma_remote_keys_pkey PRIMARY KEY (domain);

--
-- Name: uma_requests uma_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_requests
    ADD CONSTRAINT uma_requests_pkey PRIMARY KEY (id);

--
-- Name: uma_requests uma_requests_receiver_address_uuid_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_requests
    ADD CONSTRAINT uma_requests_receiver_address_uuid_key UNIQUE (receiver_address, uuid);

--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

--
-- Name: wallets wallets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets
    ADD CONSTRAINT wallets_pkey PRIMARY KEY (id);

--
-- Name: receipts_id_key; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE UNIQUE INDEX receipts_id_key ON lightning_node.receipts USING btree (id);

--
-- Name: receipts_received_key; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE UNIQUE INDEX receipts_received_key ON lightning_node.receipts USING btree (payment_hash) WHERE (state = 'received'::text);

--
-- Name: receipts_refused_idx; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE INDEX receipts_refused_idx ON lightning_node.receipts USING btree (created_at) WHERE (state = 'refused'::text);

--
-- Name: reconciliation_items_open_idx; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE INDEX reconciliation_items_open_idx ON lightning_node.reconciliation_items USING btree (peer) WHERE (accepted_at IS NULL);

--
-- Name: reconciliation_items_payment_key; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE UNIQUE INDEX reconciliation_items_payment_key ON lightning_node.reconciliation_items USING btree (peer, direction, payment_hash, attempt);

--
-- Name: sends_payee_idx; Type: INDEX; Schema: lightning_node; Owner: -
--

CREATE INDEX sends_payee_idx ON lightning_node.sends USING btree (payee);

--
-- Name: address_payment_keys_payment_hash_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX address_payment_keys_payment_hash_idx ON public.address_payment_keys USING btree (payment_hash);

--
-- Name: connections_login_grant_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX connections_login_grant_id_idx ON public.connections USING btree (login_grant_id);

--
-- Name: connections_user_id_created_at_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX connections_user_id_created_at_id_idx ON public.connections USING btree (user_id, created_at DESC, id DESC);

--
-- Name: incoming_payments_invoice_id_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX incoming_payments_invoice_id_key ON public.incoming_payments USING btree (invoice_id);

--
-- Name: incoming_payments_payment_hash_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX incoming_payments_payment_hash_key ON public.incoming_payments USING btree (payment_hash);

--
-- Name: invoices_open_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_open_idx ON public.invoices USING btree (user_id, created_at DESC, id DESC, expires_at) WHERE (settled_at IS NULL);

--
-- Name: invoices_own_open_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_own_open_idx ON public.invoices USING btree (user_id, created_at DESC, id DESC, expires_at) WHERE ((settled_at IS NULL) AND (fixed_credit IS NULL));

--
-- Name: invoices_payment_hash_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX invoices_payment_hash_key ON public.invoices USING btree (payment_hash);

--
-- Name: invoices_requested_open_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_requested_open_idx ON public.invoices USING btree (expires_at, id) WHERE ((settled_at IS NULL) AND (fixed_credit IS NOT NULL));

--
-- Name: invoices_settled_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_settled_at_idx ON public.invoices USING btree (settled_at) WHERE (settled_at IS NOT NULL);

--
-- Name: invoices_settled_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_settled_idx ON public.invoices USING btree (user_id, created_at DESC, id DESC) WHERE (settled_at IS NOT NULL);

--
-- Name: journal_entries_idempotency_key_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX journal_entries_idempotency_key_key ON public.journal_entries USING btree (idempotency_key);

--
-- Name: journal_entries_incoming_payment_id_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX journal_entries_incoming_payment_id_key ON public.journal_entries USING btree (incoming_payment_id);

--
-- Name: journal_entries_loss_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX journal_entries_loss_idx ON public.journal_entries USING btree (payment_id) WHERE (kind = 'loss'::text);

--
-- Name: journal_entries_payment_id_kind_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX journal_entries_payment_id_kind_key ON public.journal_entries USING btree (payment_id, kind);

--
-- Name: ledger_accounts_house_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX ledger_accounts_house_key ON public.ledger_accounts USING btree (kind, currency_code) WHERE ((wallet_id IS NULL) AND (node_key IS NULL));

--
-- Name: ledger_accounts_id_currency_code_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX ledger_accounts_id_currency_code_key ON public.ledger_accounts USING btree (id, currency_code);

--
-- Name: ledger_accounts_node_key_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX ledger_accounts_node_key_key ON public.ledger_accounts USING btree (node_key) WHERE (node_key IS NOT NULL);

--
-- Name: ledger_accounts_wallet_id_kind_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX ledger_accounts_wallet_id_kind_key ON public.ledger_accounts USING btree (wallet_id, kind);

--
-- Name: login_grants_session_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_grants_session_id_idx ON public.login_grants USING btree (session_id);

--
-- Name: login_grants_user_id_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX login_grants_user_id_created_at_idx ON public.login_grants USING btree (user_id, created_at);

--
-- Name: payment_write_offs_open_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_write_offs_open_idx ON public.payment_write_offs USING btree (payment_id) WHERE (resolved_at IS NULL);

--
-- Name: payments_idempotency_key_live_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX payments_idempotency_key_live_key ON public.payments USING btree (user_id, idempotency_key, COALESCE(connection_id, ''::text)) WHERE ((idempotency_key IS NOT NULL) AND (state <> 'failed'::text));

--
-- Name: payments_listed_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_listed_idx ON public.payments USING btree (user_id, created_at DESC, id DESC) WHERE (state <> 'failed'::text);

--
-- Name: payments_node_key_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_node_key_idx ON public.payments USING btree (node_key, id) WHERE (node_key IS NOT NULL);

--
-- Name: payments_open_lease_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_open_lease_idx ON public.payments USING btree (lease_expires_at) WHERE (state = ANY (ARRAY['held'::text, 'sending'::text]));

--
-- Name: payments_open_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_open_user_id_idx ON public.payments USING btree (user_id) WHERE (state = ANY (ARRAY['held'::text, 'sending'::text]));

--
-- Name: payments_open_wallet_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_open_wallet_id_idx ON public.payments USING btree (wallet_id) WHERE (state = ANY (ARRAY['held'::text, 'sending'::text]));

--
-- Name: payments_payment_hash_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_payment_hash_idx ON public.payments USING btree (payment_hash);

--
-- Name: payments_payment_hash_live_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX payments_payment_hash_live_key ON public.payments USING btree (payment_hash) WHERE (state <> 'failed'::text);

--
-- Name: payments_quote_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_quote_id_idx ON public.payments USING btree (quote_id) WHERE (quote_id IS NOT NULL);

--
-- Name: payments_settled_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_settled_at_idx ON public.payments USING btree (settled_at) WHERE (settled_at IS NOT NULL);

--
-- Name: postings_account_id_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX postings_account_id_id_idx ON public.postings USING btree (account_id, id DESC);

--
-- Name: postings_entry_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX postings_entry_id_idx ON public.postings USING btree (entry_id);

--
-- Name: quotes_id_payment_hash_user_id_wallet_id_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX quotes_id_payment_hash_user_id_wallet_id_key ON public.quotes USING btree (id, payment_hash, user_id, wallet_id);

--
-- Name: quotes_receiver_domain_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX quotes_receiver_domain_idx ON public.quotes USING btree (split_part(receiver_address, '@'::text, 2), id DESC);

--
-- Name: quotes_uma_invoice_uuid_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX quotes_uma_invoice_uuid_idx ON public.quotes USING btree (uma_invoice_uuid) WHERE (uma_invoice_uuid IS NOT NULL);

--
-- Name: quotes_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX quotes_user_id_idx ON public.quotes USING btree (user_id, id DESC);

--
-- Name: sessions_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_user_id_idx ON public.sessions USING btree (user_id);

--
-- Name: uma_callback_outbox_due_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_callback_outbox_due_idx ON public.uma_callback_outbox USING btree (next_attempt_at) WHERE ((delivered_at IS NULL) AND (given_up_at IS NULL));

--
-- Name: uma_invoices_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_invoices_user_id_idx ON public.uma_invoices USING btree (user_id, id DESC);

--
-- Name: uma_nonces_expires_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_nonces_expires_at_idx ON public.uma_nonces USING btree (expires_at);

--
-- Name: uma_pay_requests_payer_domain_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_pay_requests_payer_domain_idx ON public.uma_pay_requests USING btree (split_part(payer_address, '@'::text, 2), invoice_id DESC);

--
-- Name: uma_pay_requests_uma_invoice_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_pay_requests_uma_invoice_id_idx ON public.uma_pay_requests USING btree (uma_invoice_id);

--
-- Name: uma_requests_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uma_requests_user_id_idx ON public.uma_requests USING btree (user_id, id DESC);

--
-- Name: wallets_id_user_id_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX wallets_id_user_id_key ON public.wallets USING btree (id, user_id);

--
-- Name: wallets_user_id_currency_code_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX wallets_user_id_currency_code_key ON public.wallets USING btree (user_id, currency_code);

--
-- Name: wallets_user_id_position_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX wallets_user_id_position_key ON public.wallets USING btree (user_id, "position");

--
-- Name: receipts receipts_append_only; Type: TRIGGER; Schema: lightning_node; Owner: -
--

CREATE TRIGGER receipts_append_only BEFORE UPDATE OR TRUNCATE ON lightning_node.receipts FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: receipts receipts_delete_guard; Type: TRIGGER; Schema: lightning_node; Owner: -
--

CREATE TRIGGER receipts_delete_guard BEFORE DELETE ON lightning_node.receipts FOR EACH ROW EXECUTE FUNCTION lightning_node.receipts_delete_guard();

--
-- Name: reconciliation_items reconciliation_items_append_only; Type: TRIGGER; Schema: lightning_node; Owner: -
--

CREATE TRIGGER reconciliation_items_append_only BEFORE DELETE OR TRUNCATE ON lightning_node.reconciliation_items FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: reconciliation_items reconciliation_items_immutable; Type: TRIGGER; Schema: lightning_node; Owner: -
--

CREATE TRIGGER reconciliation_items_immutable BEFORE UPDATE ON lightning_node.reconciliation_items FOR EACH ROW EXECUTE FUNCTION lightning_node.reconciliation_items_immutable();

--
-- Name: sends sends_settled_immutable; Type: TRIGGER; Schema: lightning_node; Owner: -
--

CREATE TRIGGER sends_settled_immutable BEFORE UPDATE ON lightning_node.sends FOR EACH ROW WHEN ((old.state <> 'in_flight'::text)) EXECUTE FUNCTION public.settled_rows_immutable();

--
-- Name: connections connections_delete_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER connections_delete_guard BEFORE DELETE OR TRUNCATE ON public.connections FOR EACH STATEMENT EXECUTE FUNCTION public.connections_delete_guard();

--
-- Name: connections connections_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER connections_immutable BEFORE UPDATE ON public.connections FOR EACH ROW EXECUTE FUNCTION public.connections_immutable();

--
-- Name: journal_entries entries_match_incoming_payment; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER entries_match_incoming_payment AFTER INSERT ON public.journal_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.incoming_payment_id IS NOT NULL)) EXECUTE FUNCTION public.entries_match_incoming_payment();

--
-- Name: journal_entries entries_match_payment; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER entries_match_payment AFTER INSERT ON public.journal_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.payment_id IS NOT NULL)) EXECUTE FUNCTION public.entries_match_payment();

--
-- Name: incoming_payments incoming_payments_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incoming_payments_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.incoming_payments FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: incoming_payments incoming_payments_match_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER incoming_payments_match_ledger AFTER INSERT ON public.incoming_payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.incoming_payments_match_ledger();

--
-- Name: invoices invoices_delete_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER invoices_delete_guard BEFORE DELETE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.invoices_delete_guard();

--
-- Name: invoices invoices_settled_by_payment; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER invoices_settled_by_payment AFTER INSERT OR UPDATE ON public.invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.settled_at IS NOT NULL)) EXECUTE FUNCTION public.invoices_settled_by_payment();

--
-- Name: invoices invoices_settled_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER invoices_settled_immutable BEFORE UPDATE ON public.invoices FOR EACH ROW WHEN ((old.settled_at IS NOT NULL)) EXECUTE FUNCTION public.settled_rows_immutable();

--
-- Name: invoices invoices_terms_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER invoices_terms_immutable BEFORE UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.invoices_terms_immutable();

--
-- Name: invoices invoices_truncate_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER invoices_truncate_guard BEFORE TRUNCATE ON public.invoices FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: journal_entries journal_entries_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER journal_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.journal_entries FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: journal_entries journal_entries_have_postings; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER journal_entries_have_postings AFTER INSERT ON public.journal_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.journal_entries_have_postings();

--
-- Name: ledger_accounts ledger_accounts_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ledger_accounts_append_only BEFORE DELETE OR TRUNCATE ON public.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: ledger_accounts ledger_accounts_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ledger_accounts_immutable BEFORE UPDATE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION public.ledger_accounts_immutable();

--
-- Name: ledger_accounts ledger_accounts_start_empty; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ledger_accounts_start_empty BEFORE INSERT ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION public.ledger_accounts_start_empty();

--
-- Name: login_grants login_grants_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER login_grants_immutable BEFORE UPDATE ON public.login_grants FOR EACH ROW WHEN (((old.closed_at IS NOT NULL) AND (new.closed_at IS DISTINCT FROM old.closed_at))) EXECUTE FUNCTION public.login_grants_immutable();

--
-- Name: loss_acknowledgements loss_acknowledgements_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER loss_acknowledgements_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.loss_acknowledgements FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: payment_write_offs payment_write_offs_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payment_write_offs_append_only BEFORE DELETE OR TRUNCATE ON public.payment_write_offs FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: payment_write_offs payment_write_offs_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payment_write_offs_immutable BEFORE UPDATE ON public.payment_write_offs FOR EACH ROW EXECUTE FUNCTION public.payment_write_offs_immutable();

--
-- Name: payments payments_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payments_append_only BEFORE DELETE OR TRUNCATE ON public.payments FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: payments payments_end_matches_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER payments_end_matches_ledger AFTER UPDATE ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.state <> old.state) AND (new.state = ANY (ARRAY['succeeded'::text, 'failed'::text])))) EXECUTE FUNCTION public.payments_match_ledger();

--
-- Name: payments payments_match_ledger; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER payments_match_ledger AFTER INSERT ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.payments_match_ledger();

--
-- Name: payments payments_settled_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payments_settled_immutable BEFORE UPDATE ON public.payments FOR EACH ROW WHEN ((old.state = ANY (ARRAY['succeeded'::text, 'failed'::text]))) EXECUTE FUNCTION public.settled_rows_immutable();

--
-- Name: payments payments_state_transition; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payments_state_transition BEFORE UPDATE ON public.payments FOR EACH ROW WHEN ((new.state <> old.state)) EXECUTE FUNCTION public.payments_state_transition();

--
-- Name: payments payments_terms_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payments_terms_immutable BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION public.payments_terms_immutable();

--
-- Name: postings postings_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER postings_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.postings FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: postings postings_join_new_entries; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER postings_join_new_entries BEFORE INSERT ON public.postings FOR EACH ROW EXECUTE FUNCTION public.postings_join_new_entries();

--
-- Name: postings postings_sum_to_zero; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER postings_sum_to_zero AFTER INSERT ON public.postings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.postings_sum_to_zero();

--
-- Name: postings postings_update_balance; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER postings_update_balance BEFORE INSERT ON public.postings FOR EACH ROW EXECUTE FUNCTION public.postings_update_balance();

--
-- Name: quotes quotes_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER quotes_immutable BEFORE UPDATE ON public.quotes FOR EACH ROW EXECUTE FUNCTION public.terms_immutable();

--
-- Name: rate_snapshots rate_snapshots_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rate_snapshots_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.rate_snapshots FOR EACH STATEMENT EXECUTE FUNCTION public.append_only();

--
-- Name: wallets wallets_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER wallets_immutable BEFORE UPDATE ON public.wallets FOR EACH ROW EXECUTE FUNCTION public.wallets_immutable();

--
-- Name: wallets wallets_open_accounts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER wallets_open_accounts AFTER INSERT ON public.wallets FOR EACH ROW EXECUTE FUNCTION public.wallets_open_accounts();

--
-- Name: address_payment_keys address_payment_keys_connection_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_payment_keys
    ADD CONSTRAINT address_payment_keys_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: address_payment_keys address_payment_keys_payment_hash_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_payment_keys
    ADD CONSTRAINT address_payment_keys_payment_hash_fkey FOREIGN KEY (payment_hash) REFERENCES public.quotes(payment_hash) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: connections connections_login_grant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_login_grant_id_fkey FOREIGN KEY (login_grant_id) REFERENCES public.login_grants(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: connections connections_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: incoming_payments incoming_payments_invoice_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incoming_payments
    ADD CONSTRAINT incoming_payments_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.invoices(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: invoices invoices_rate_snapshot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_rate_snapshot_id_fkey FOREIGN KEY (rate_snapshot_id) REFERENCES public.rate_snapshots(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: invoices invoices_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: invoices invoices_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_wallet_id_fkey FOREIGN KEY (wallet_id, user_id) REFERENCES public.wallets(id, user_id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: journal_entries journal_entries_incoming_payment_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal_entries
    ADD CONSTRAINT journal_entries_incoming_payment_id_fkey FOREIGN KEY (incoming_payment_id) REFERENCES public.incoming_payments(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: journal_entries journal_entries_payment_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal_entries
    ADD CONSTRAINT journal_entries_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: ledger_accounts ledger_accounts_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES public.wallets(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: login_grants login_grants_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_grants
    ADD CONSTRAINT login_grants_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: login_grants login_grants_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.login_grants
    ADD CONSTRAINT login_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: loss_acknowledgements loss_acknowledgements_payment_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.loss_acknowledgements
    ADD CONSTRAINT loss_acknowledgements_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payment_write_offs payment_write_offs_payment_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_write_offs
    ADD CONSTRAINT payment_write_offs_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payments payments_connection_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payments payments_quote_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_quote_id_fkey FOREIGN KEY (quote_id, payment_hash, user_id, wallet_id) REFERENCES public.quotes(id, payment_hash, user_id, wallet_id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payments payments_rate_snapshot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_rate_snapshot_id_fkey FOREIGN KEY (rate_snapshot_id) REFERENCES public.rate_snapshots(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payments payments_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: payments payments_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_wallet_id_fkey FOREIGN KEY (wallet_id, user_id) REFERENCES public.wallets(id, user_id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: postings postings_account_currency_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_account_currency_fkey FOREIGN KEY (account_id, currency_code) REFERENCES public.ledger_accounts(id, currency_code) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: postings postings_entry_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES public.journal_entries(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: quotes quotes_connection_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: quotes quotes_rate_snapshot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_rate_snapshot_id_fkey FOREIGN KEY (rate_snapshot_id) REFERENCES public.rate_snapshots(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: quotes quotes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: quotes quotes_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_wallet_id_fkey FOREIGN KEY (wallet_id, user_id) REFERENCES public.wallets(id, user_id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: sessions sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: uma_invoices uma_invoices_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_invoices
    ADD CONSTRAINT uma_invoices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: uma_invoices uma_invoices_wallet_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_invoices
    ADD CONSTRAINT uma_invoices_wallet_id_fkey FOREIGN KEY (wallet_id, user_id) REFERENCES public.wallets(id, user_id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: uma_pay_requests uma_pay_requests_invoice_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_pay_requests
    ADD CONSTRAINT uma_pay_requests_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.invoices(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: uma_pay_requests uma_pay_requests_uma_invoice_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_pay_requests
    ADD CONSTRAINT uma_pay_requests_uma_invoice_id_fkey FOREIGN KEY (uma_invoice_id) REFERENCES public.uma_invoices(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: uma_requests uma_requests_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uma_requests
    ADD CONSTRAINT uma_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- Name: wallets wallets_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets
    ADD CONSTRAINT wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

--
-- PostgreSQL database dump complete
--
