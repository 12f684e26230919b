-- Moves test money from the faucet to a wallet. False, and nothing moves, when the wallet would then hold more than `maximum`.
-- The check holds the locks of the wallet's accounts, so concurrent pulls cannot exceed the limit together. A repeated key
-- returns true, however full the wallet is by now.
create or replace function pull_faucet(entry_key text, funded_wallet bigint, amount bigint, maximum bigint)
  returns boolean language plpgsql as $$
declare
  target ledger_accounts%rowtype;
begin
  perform 1 from ledger_accounts where wallet_id = funded_wallet order by id for update;
  if not exists (select 1 from journal_entries where idempotency_key = entry_key)
     and (select sum(balance) from ledger_accounts where wallet_id = funded_wallet) + amount > maximum then
    return false;
  end if;
  select * into target from ledger_accounts where wallet_id = funded_wallet and kind = 'available';
  perform post_entry('faucet', entry_key, array[faucet.id, target.id], array[-amount, amount])
    from ledger_accounts faucet where faucet.kind = 'faucet' and faucet.currency_code = target.currency_code;
  return true;
end $$;
