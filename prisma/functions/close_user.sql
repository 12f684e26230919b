-- Closes a user for good: sessions end, connections are revoked, open invoices and quotes expire, and no secret signs in. Wallets
-- and entries stay, and a payment in progress ends as usual. `only_unused`: only if the user was created on demand and has
-- expired. False when nothing was closed.
create or replace function close_user(of_user text, only_unused boolean) returns boolean language plpgsql as $$
begin
  perform 1 from users where id = of_user and status <> 'closed'
    and (not only_unused or made_on_demand and expires_at <= now()) for no key update;
  if not found then
    return false;
  end if;
  update users
    set status = 'closed', password_hash = 'closed', manage_token_hash = null, sign_in_code_hash = null
    where id = of_user;
  update sessions set ended_at = now() where user_id = of_user and ended_at is null;
  perform end_user_business(of_user);
  return true;
end $$;
