-- The lines of all statements, for the pages that list the movements of all wallets of a user. Derived from the journal when an entry
-- is posted, and never changed. It has no references, whose checks each payment would pay for: entries, wallets, users and connections
-- are never deleted. There is no index that begins with the id: nothing but the indexes below offers its order, so a list
-- reads only what it shows, with and without statistics.
create table movements (
  entry_id      bigint not null,
  wallet_id     bigint not null,
  -- The entry's first posting in the wallet: the order of the wallet's statement.
  id            bigint not null,
  user_id       text not null,
  currency_code text not null,
  kind          text not null,
  -- Ledger units; the sum of the entry's postings in the wallet.
  amount        bigint not null,
  sent          boolean not null,
  payment_hash  text,
  -- The connection that sent the payment.
  connection_id text,
  -- The other address of a payment, or the other currency of a conversion.
  party         text,
  memo          text,
  created_at    timestamptz not null,
  primary key (entry_id, wallet_id),
  constraint movements_amount_not_zero check (amount <> 0),
  constraint movements_sent_is_negative check (sent = (amount < 0))
);
create index movements_user_id_sent_id_idx on movements (user_id, sent, id);
create index movements_wallet_id_sent_id_idx on movements (wallet_id, sent, id);
create index movements_connection_id_id_idx on movements (connection_id, id) where connection_id is not null;
create index movements_connection_id_wallet_id_id_idx on movements (connection_id, wallet_id, id) where connection_id is not null;
-- Where a period begins and ends.
create index movements_user_id_created_at_idx on movements (user_id, created_at, id);
create trigger movements_append_only before update or delete or truncate on movements
  for each statement execute function append_only();
-- Failed payments have no movement.
create index payments_failed_user_id_idx on payments (user_id, id desc) where state = 'failed';

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
-- Before the earlier entries are copied: no other transaction adds an entry until this one ends.
create constraint trigger entries_record_movements after insert on journal_entries
  deferrable initially deferred for each row when (new.kind not in ('hold', 'release')) execute function record_movements();

drop function post_entry(text, text, bigint[], bigint[], bigint, bigint);
-- Posts one entry. `replayed` is true when the key was used before with the same content; other content is LG002.
-- User and node accounts are locked in the order of their ids before anything is written, so two entries never wait for each
-- other in a circle. `at` is the time of an entry of the past, which only an example month of the sandbox has.
create or replace function post_entry(
  entry_kind text, entry_key text, account_ids bigint[], amounts bigint[],
  for_payment bigint default null, for_incoming_payment bigint default null, at timestamptz default now()
) returns table (entry_id bigint, replayed boolean) language plpgsql as $$
declare
  entry_hash text;
  known record;
  posted bigint;
begin
  select coalesce(encode(sha256(convert_to(string_agg(account_id || ':' || amount, ',' order by account_id, amount), 'UTF8')), 'hex'), '')
    into entry_hash
    from unnest(account_ids, amounts) as line (account_id, amount);
  insert into journal_entries (kind, idempotency_key, content_hash, payment_id, incoming_payment_id, created_at)
    values (entry_kind, entry_key, entry_hash, for_payment, for_incoming_payment, at)
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

drop function settle_internal_payment(text, text, text, text, bigint, bigint, bigint, bigint, text, bigint[], bigint[]);
-- Pays an invoice of this VASP from a wallet of this VASP: one transaction, no node. The invoice's row lock queues copies of
-- one payment; the first moves the money, the others find it done.
-- `at` is the time of a payment of the past, which only an example month of the sandbox has; null for a payment of this moment.
-- `outcome`: paid | repeated (this user has paid it before) | taken (another user has) | unknown | expired | amount.
create or replace function settle_internal_payment(
  paid_hash text, paid_invoice text, payer text, through_connection text, from_wallet bigint, paid_quote bigint, msats bigint,
  debited bigint, snapshot text, account_ids bigint[], amounts bigint[], at timestamptz default null
) returns table (outcome text, preimage text) language plpgsql as $$
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
  elsif bill.expires_at <= coalesce(at, clock_timestamp()) then
    outcome := 'expired';
  elsif bill.amount_msats is distinct from msats and bill.amount_msats is not null then
    outcome := 'amount';
  else
    insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id,
                          description, description_hash, state, preimage, expires_at, settled_at, created_at)
      values (paid_hash, paid_invoice, payer, through_connection, from_wallet, paid_quote, msats, debited, snapshot,
              bill.description, bill.description_hash, 'succeeded', bill.preimage, bill.expires_at, coalesce(at, now()), coalesce(at, now()))
      returning id into new_id;
    -- A payment from a wallet to itself moves nothing.
    if cardinality(account_ids) > 0 then
      perform post_entry('payment', 'payment:' || new_id, account_ids, amounts, new_id, null, coalesce(at, now()));
      select id into credited_account from ledger_accounts
        where wallet_id = bill.wallet_id and kind = 'available';
    end if;
    update invoices
      set settled_at = coalesce(at, now()), received_msats = msats, credited = amounts[array_position(account_ids, credited_account)]
      where id = bill.id;
    outcome := 'paid';
    preimage := bill.preimage;
  end if;
  return next;
end $$;

-- Each entry so far: what record_movements would have written, for all at once.
insert into movements (entry_id, wallet_id, id, user_id, currency_code, kind, amount, sent, payment_hash, connection_id, party, memo, created_at)
select line.entry_id, w.id, line.id, w.user_id, w.currency_code, e.kind, line.amount, line.amount < 0, hash.value,
       case when line.amount < 0 then p.connection_id end,
       case when e.kind = 'exchange' then other.currency_code when line.amount < 0 then q.receiver_address else r.payer_address end,
       case when e.kind <> 'exchange' then coalesce(case when line.amount < 0 then q.comment else r.comment end, p.description,
                                                    case when line.amount > 0 then i.description end) end,
       e.created_at
from (select l.entry_id, a.wallet_id, min(l.id) as id, sum(l.amount)::bigint as amount
      from postings l join ledger_accounts a on a.id = l.account_id
      where a.wallet_id is not null group by l.entry_id, a.wallet_id having sum(l.amount) <> 0) line
join journal_entries e on e.id = line.entry_id
join wallets w on w.id = line.wallet_id
left join payments p on p.id = e.payment_id
left join incoming_payments n on n.id = e.incoming_payment_id
cross join lateral (select coalesce(p.payment_hash, n.payment_hash) as value) hash
left join quotes q on line.amount < 0 and q.payment_hash = hash.value and q.user_id = w.user_id
left join invoices i on line.amount > 0 and i.payment_hash = hash.value
left join uma_pay_requests r on r.invoice_id = i.id
left join lateral (select a.currency_code from postings l join ledger_accounts a on a.id = l.account_id
                   where l.entry_id = e.id and e.kind = 'exchange' and a.kind = 'available' and a.wallet_id <> w.id limit 1) other on true;
