-- What a node says that knows nothing of a payment, what a person decides about a payment whose node is gone, and what a peer
-- knows that these books have forgotten.

-- Public key of the node that has said "not found" since `not_found_at`, with no other answer in between.
alter table payments
  add column not_found_by text,
  add constraint payments_not_found_since check (not_found_by is null or not_found_at is not null);

-- A person gave up a payment whose node is gone for good: who, when and why.
create table payment_decisions (
  payment_id bigint primary key references payments (id) on delete restrict on update restrict,
  decided_by text not null,
  because    text not null,
  decided_at timestamptz not null default now(),
  -- When the node's final word came after all; until then it is asked where it can be.
  word_at    timestamptz,
  constraint payment_decisions_decided_by_length check (char_length(decided_by) between 1 and 200),
  constraint payment_decisions_because_length check (char_length(because) between 1 and 500)
);
create index payment_decisions_open_idx on payment_decisions (payment_id) where word_at is null;
create function decisions_stay() returns trigger language plpgsql as $$
begin
  if old.word_at is not null
     or (new.payment_id, new.decided_by, new.because, new.decided_at)
        is distinct from (old.payment_id, old.decided_by, old.because, old.decided_at) then
    raise exception 'what was decided stays' using errcode = 'LG005';
  end if;
  return new;
end $$;
create trigger payment_decisions_stay before update on payment_decisions
  for each row execute function decisions_stay();
create trigger payment_decisions_append_only before delete or truncate on payment_decisions
  for each statement execute function ledger_is_append_only();

-- Gives up the payment of a hash to a node that is no peer any more. `failed`: its hold was given back | unknown: no payment to
-- another node has this hash | ended: it has ended before | peer: its node is a peer and may still be asked | claimed: somebody acts on it.
create function abandon_payment(abandoned_hash text, present_peers text[], who text, why text)
  returns table (outcome text, payment_id bigint) language plpgsql as $$
declare
  payment payments%rowtype;
begin
  -- The one that is open; of those that have ended, any.
  select * into payment from payments
    where payments.payment_hash = abandoned_hash and peer is not null
    order by state in ('held', 'sending') desc, id desc limit 1 for update;
  payment_id := payment.id;
  outcome := case
    when payment.id is null then 'unknown'
    when payment.state in ('succeeded', 'failed') then 'ended'
    when payment.peer = any (present_peers) then 'peer'
    -- `nobody`: it rests between two questions.
    when payment.claimed_by <> 'nobody' and payment.claimed_until > clock_timestamp() then 'claimed'
    else 'failed'
  end;
  if outcome = 'failed' then
    insert into payment_decisions (payment_id, decided_by, because) values (payment.id, who, why);
    perform fail_payment(payment.id, 'gone');
  end if;
  return next;
end $$;

-- What a peer says was paid between it and us, and our books do not know: after an older state of the database was put back,
-- say. Nothing is booked on its word alone: it waits for a person, and until then the peer is sent nothing.
create table lightning_node.unbooked (
  id           bigint generated always as identity primary key,
  peer         text not null,
  -- Which way, seen from here.
  direction    text not null,
  payment_hash text not null,
  -- The payer's name for it.
  attempt      text not null,
  amount_msats bigint not null,
  found_at     timestamptz not null default now(),
  -- Who has looked, and what he has found: then it is booked, against the account `suspense`.
  accepted_at  timestamptz,
  accepted_by  text,
  because      text,
  constraint unbooked_direction_known check (direction in ('sent', 'received')),
  constraint unbooked_payment_hash_form check (payment_hash ~ '^[0-9a-f]{64}$'),
  constraint unbooked_amount_positive check (amount_msats > 0),
  constraint unbooked_accepted_whole check (
    (accepted_at is null) = (accepted_by is null) and (accepted_at is null) = (because is null)),
  constraint unbooked_accepted_by_length check (char_length(accepted_by) between 1 and 200),
  constraint unbooked_because_length check (char_length(because) between 1 and 500)
);
create unique index unbooked_payment_key on lightning_node.unbooked (peer, direction, payment_hash, attempt);
create index unbooked_open_idx on lightning_node.unbooked (peer) where accepted_at is null;
create function lightning_node.unbooked_stay() returns trigger language plpgsql as $$
begin
  if old.accepted_at is not null
     or (new.id, new.peer, new.direction, new.payment_hash, new.attempt, new.amount_msats, new.found_at)
        is distinct from (old.id, old.peer, old.direction, old.payment_hash, old.attempt, old.amount_msats, old.found_at) then
    raise exception 'what a peer has said stays' using errcode = 'LG005';
  end if;
  return new;
end $$;
create trigger unbooked_stay before update on lightning_node.unbooked
  for each row execute function lightning_node.unbooked_stay();
create trigger unbooked_append_only before delete or truncate on lightning_node.unbooked
  for each statement execute function ledger_is_append_only();

alter table journal_entries
  drop constraint journal_entries_kind_known,
  add constraint journal_entries_kind_known
    check (kind in ('opening', 'faucet', 'exchange', 'payment', 'hold', 'release', 'settle', 'receive', 'loss', 'unbooked'));

-- Books what a peer has told, once a person believes it. The peer's account says then what the peer's books say; the other
-- side is `suspense`, until a person has decided whose it is. Gives what was booked now.
create function lightning_node.accept_unbooked(from_peer text, who text, why text)
  returns table (id bigint, direction text, amount_msats bigint) language plpgsql as $$
declare
  told lightning_node.unbooked%rowtype;
begin
  for told in select * from lightning_node.unbooked u where u.peer = from_peer and u.accepted_at is null order by u.id for update loop
    update lightning_node.unbooked u set accepted_at = now(), accepted_by = who, because = why where u.id = told.id;
    perform post_entry('unbooked', 'unbooked:' || told.id, array[p.id, s.id],
        case told.direction when 'sent' then array[told.amount_msats, -told.amount_msats] else array[-told.amount_msats, told.amount_msats] end)
      from ledger_accounts p, ledger_accounts s
      where p.peer = told.peer and s.kind = 'suspense' and s.currency_code = 'SAT';
    if not found then
      raise exception 'there is no account for the peer of %', told.id using errcode = 'LG006';
    end if;
    id := told.id;
    direction := told.direction;
    amount_msats := told.amount_msats;
    return next;
  end loop;
end $$;
