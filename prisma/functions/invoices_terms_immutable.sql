-- Compared inside a function: a trigger's condition is parsed again for each statement, a function keeps its plan.
create or replace function invoices_terms_immutable() returns trigger language plpgsql as $$
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
