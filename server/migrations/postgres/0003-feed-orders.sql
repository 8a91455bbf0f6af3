-- What a feed needs beside the order by creation: who closes next or has closed, who never does, who opens next.
create index polls_closing on polls (brand_key, closes_at, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is not null;
create index polls_unending on polls (brand_key, key)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is null;
create index polls_opening on polls (brand_key, opens_at)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and opens_at is not null;

-- Deleted polls whose votes are still to be removed are looked for every few seconds.
create index polls_deleted on polls (key) where deleted_at is not null;
