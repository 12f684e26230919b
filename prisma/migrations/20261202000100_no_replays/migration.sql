-- Calls are no longer replayed: the API reference sends calls of its own. The index goes with its column.
alter table events drop column replay_of;
