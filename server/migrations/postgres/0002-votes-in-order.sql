-- The rows of a heap lie in the order in which they came as they are; here the two keys trade their places alone.
alter table votes drop constraint votes_pkey;
alter table votes add primary key using index votes_by_position;
create unique index votes_by_device on votes (poll_key, device);

-- A guest is who has voted: what the votes say already is not written down again beside each of them.
drop table guests;
create view guests as
  select device, min(voted_at) as first_seen_at, max(voted_at) as last_seen_at from votes group by device;
