-- Messages of other parties have a share of their own among a user's events, so that they never evict what the user did.
alter table events add column from_outside boolean not null default false;
