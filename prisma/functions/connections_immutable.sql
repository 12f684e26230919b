-- What a token may do is fixed when it is issued, and a revocation is final: no later statement can widen a token. A connection
-- can be made to expire at once.
create or replace function connections_immutable() returns trigger language plpgsql as $$
begin
  if (new.id, new.user_id, new.login_grant_id, new.permissions, new.created_at)
     is distinct from (old.id, old.user_id, old.login_grant_id, old.permissions, old.created_at)
     or new.expires_at is distinct from old.expires_at
        and (new.expires_at is null or new.expires_at > clock_timestamp() or new.expires_at > old.expires_at) then
    raise exception 'the terms of a connection never change' using errcode = 'CN001';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked connection stays revoked' using errcode = 'CN002';
  end if;
  return new;
end $$;
