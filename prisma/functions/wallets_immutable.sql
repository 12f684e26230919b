create or replace function wallets_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.currency_code) is distinct from (old.id, old.user_id, old.currency_code) then
    raise exception 'a wallet keeps its owner and its currency' using errcode = 'LG003';
  end if;
  return new;
end $$;
