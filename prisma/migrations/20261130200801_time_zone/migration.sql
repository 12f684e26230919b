-- The IANA name of the time zone that the user chose for the pages. Without one, a page uses the zone of the browser.
alter table users add column time_zone text
  constraint users_time_zone_length check (char_length(time_zone) between 1 and 64);
