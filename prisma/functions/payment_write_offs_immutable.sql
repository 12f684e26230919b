create or replace function payment_write_offs_immutable() returns trigger language plpgsql as $$
begin
  if old.resolved_at is not null
     or (new.payment_id, new.written_off_by, new.reason, new.written_off_at)
        is distinct from (old.payment_id, old.written_off_by, old.reason, old.written_off_at) then
    raise exception 'a write-off never changes' using errcode = 'LG005';
  end if;
  return new;
end $$;
