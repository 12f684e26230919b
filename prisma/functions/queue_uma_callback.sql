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
