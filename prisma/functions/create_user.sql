-- Creates a user with wallets and opening balances. A user on demand counts against `max_living`: creations queue at one lock,
-- so the count is exact. `outcome`: created | taken (a user has or had this name) | full.
create or replace function create_user(
  new_name text, shown_name text, password text, currency_codes text[], faucet_ids bigint[], openings bigint[],
  on_demand boolean, token_hash text, code_hash text, code_lifetime interval, lifetime interval, max_living integer
) returns text language plpgsql as $$
begin
  if on_demand then
    perform pg_advisory_xact_lock(hashtextextended('create_user', 0));
    if (select count(*) from users where made_on_demand and status <> 'closed') >= max_living then
      return 'full';
    end if;
  end if;
  insert into users (id, display_name, password_hash, made_on_demand, last_used_at, expires_at, manage_token_hash,
                     sign_in_code_hash, sign_in_code_expires_at)
    values (new_name, shown_name, password, on_demand, case when on_demand then now() end, now() + lifetime, token_hash,
            code_hash, now() + code_lifetime)
    on conflict (id) do nothing;
  if not found then
    return 'taken';
  end if;
  insert into wallets (user_id, currency_code, position)
    select new_name, code, place - 1 from unnest(currency_codes) with ordinality as listed (code, place);
  perform post_entry('opening', 'opening:' || new_name || ':' || w.currency_code, array[opened.faucet_id, a.id],
                     array[-opened.amount, opened.amount])
    from unnest(currency_codes, faucet_ids, openings) as opened (code, faucet_id, amount)
    join wallets w on w.user_id = new_name and w.currency_code = opened.code
    join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
    where opened.amount > 0;
  return 'created';
end $$;
