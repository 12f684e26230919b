-- What no page, answer, query or function reads.
alter table quotes drop column payee_data;
alter table uma_pay_requests drop column travel_rule;
alter table uma_pay_requests drop column receiver_address;
update uma_pay_requests set payer_data = jsonb_strip_nulls(jsonb_build_object('name', payer_data -> 'name', 'email', payer_data -> 'email'))
  where payer_data is not null;
alter table uma_invoices drop column memo;
alter table uma_invoices drop column created_at;

-- No query searches by the domain of an address any more.
drop index quotes_receiver_domain_idx;
drop index uma_pay_requests_payer_domain_idx;

drop function create_requested_invoice;
-- Stores an invoice that was requested over UMA or LNURL, with its request. When it pays a UMA invoice (UMAD-09), requests
-- queue at that row, so the count below is exact: settled and open invoices count. An unpaid earlier invoice for the same payer
-- expires now and no longer counts. If one is being settled at this moment, the function waits for it, and it counts.
-- `outcome`: created | expired (the UMA invoice) | full (the UMA invoice is paid, or being paid, as often as allowed).
create or replace function create_requested_invoice(
  new_hash text, new_preimage text, new_invoice text, payee text, to_wallet bigint, msats bigint, memo text, memo_hash text,
  creation timestamptz, expiry timestamptz, promised_credit bigint, snapshot text,
  used_protocol text, payer text, payer_fields jsonb, payer_comment text,
  for_uma_invoice bigint, own_callback text, remote_callback text, from_network text, fee_msats bigint
) returns text language plpgsql as $$
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
  insert into uma_pay_requests (invoice_id, protocol, payer_address, payer_data, comment, uma_invoice_id, callback_id,
                                remote_callback_url, payer_network)
    values (new_id, used_protocol, payer, payer_fields, payer_comment, for_uma_invoice, own_callback, remote_callback,
            from_network);
  return 'created';
end $$;
