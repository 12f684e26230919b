-- One row for each callback that another VASP still has to accept, or did not accept in five tries. An accepted one has no row.
-- Callbacks from other VASPs are events.
create table uma_callbacks (
  payment_hash text primary key,
  -- The user of this VASP who paid or was paid.
  user_id      text not null,
  url          text not null,
  amount_msats bigint not null,
  -- Counted when a try begins.
  tries        integer not null default 0,
  -- Null when all tries are used.
  next_try_at  timestamptz default now(),
  constraint uma_callbacks_amount_positive check (amount_msats > 0),
  constraint uma_callbacks_tries_limited check (tries between 0 and 5)
);
create index uma_callbacks_due_idx on uma_callbacks (next_try_at) where next_try_at is not null;

-- Those that are due or given up, and the settlements that no process had queued yet.
insert into uma_callbacks (payment_hash, user_id, url, amount_msats, tries, next_try_at)
  select settled.payment_hash, settled.user_id, settled.url, settled.amount_msats,
         case when o.given_up_at is not null then 5 else least(coalesce(o.attempts, 0), 4) end,
         case when o.given_up_at is null then least(coalesce(o.next_attempt_at, now()), now() + interval '1 hour') end
  from (
    select p.payment_hash, p.user_id, q.remote_callback_url as url, p.amount_msats, 'sent' as direction, p.settled_at
    from payments p join quotes q on q.payment_hash = p.payment_hash and q.user_id = p.user_id
    where p.state = 'succeeded' and q.remote_callback_url is not null
    union all
    select i.payment_hash, i.user_id, r.remote_callback_url, i.received_msats, 'received', i.settled_at
    from invoices i join uma_pay_requests r on r.invoice_id = i.id
    where i.settled_at is not null and r.remote_callback_url is not null
  ) settled
  left join uma_callback_outbox o on o.payment_hash = settled.payment_hash and o.direction = settled.direction
  where case when o.id is null then settled.settled_at >= now() - interval '3 days' else o.delivered_at is null end
  on conflict do nothing;
drop table uma_callback_outbox;
drop table uma_callback_inbox;

-- The other VASP gets a callback about a payment that has just settled: one row, in the transaction of the settlement, so that a
-- crash loses no callback. Money never depends on it: a row that cannot be stored leaves a warning, and the payment is settled.
create or replace function queue_uma_callback() returns trigger language plpgsql as $$
declare
  url text;
  msats bigint;
begin
  if tg_table_name = 'payments' then
    select q.remote_callback_url into url from quotes q where q.payment_hash = new.payment_hash and q.user_id = new.user_id;
    msats := new.amount_msats;
  else
    select r.remote_callback_url into url from uma_pay_requests r where r.invoice_id = new.id;
    msats := new.received_msats;
  end if;
  if url is not null then
    insert into uma_callbacks (payment_hash, user_id, url, amount_msats) values (new.payment_hash, new.user_id, url, msats)
      on conflict do nothing;
  end if;
  return null;
exception when others then
  raise warning 'the callback about % was not queued: %', new.payment_hash, sqlerrm;
  return null;
end $$;
create trigger payments_queue_uma_callback after update on payments
  for each row when (new.state = 'succeeded' and old.state <> 'succeeded') execute function queue_uma_callback();
create trigger invoices_queue_uma_callback after update on invoices
  for each row when (new.settled_at is not null and old.settled_at is null) execute function queue_uma_callback();
