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
