-- Compared inside a function: a trigger's condition is parsed again for each statement, a function keeps its plan.
create or replace function payments_terms_immutable() returns trigger language plpgsql as $$
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
