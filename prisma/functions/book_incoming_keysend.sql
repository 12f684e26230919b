-- Books a keysend for one of our users: its invoice, the incoming payment and the credit. `known` when the hash was used before.
create or replace function book_incoming_keysend(
  paid_hash text, sent_preimage text, from_node text, msats bigint, payee text, to_wallet bigint, memo text, shown_metadata jsonb,
  credited_amount bigint, account_ids bigint[], amounts bigint[]
) returns text language plpgsql as $$
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
