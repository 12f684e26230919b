-- A UMA invoice is paid no more often than it may be, also by a payment that ends as its Lightning invoice does: it is waited for
-- and counts. Otherwise the function is as it was.
create or replace function ask_for_invoice(
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
    -- A payment that found its invoice open may not be committed yet, though the invoice has ended meanwhile: no statement takes
    -- longer than five seconds.
    perform 1 from invoices i join uma_pay_requests asked on asked.invoice_id = i.id
      where asked.uma_invoice_id = claimed and i.settled_at is null and i.expires_at > moment - interval '10 seconds'
      order by i.id for update of i;
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
