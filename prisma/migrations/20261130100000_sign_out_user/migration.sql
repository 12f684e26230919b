-- Ends the sessions of a user and voids an unused sign-in link. With `new_hash`, the password changes first. `kept_session` stays open:
-- the one that changes the password. A sign-in locks the user's row and compares the hash (open_session), so no session of the former
-- password opens after the change. False when there is no such user, or the user is closed.
create function sign_out_user(of_user text, new_hash text, kept_session text) returns boolean language plpgsql as $$
begin
  update users set password_hash = coalesce(new_hash, password_hash), sign_in_code_hash = null
    where id = of_user and status <> 'closed';
  if not found then
    return false;
  end if;
  update sessions set ended_at = now() where user_id = of_user and ended_at is null and id is distinct from kept_session;
  return true;
end $$;
