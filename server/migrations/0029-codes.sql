-- Codes: one person, one vote. A code is stored only as a keyed hash. `issued`, `revoked` and `used` count the codes of a list;
-- a code that was used on several polls counts once.
create table code_lists (
  key identity,
  id text not null unique,
  brand_key integer not null references brands (key),
  name text not null,
  name_folded text not null,
  issued integer not null default 0,
  revoked integer not null default 0,
  used integer not null default 0,
  created_at timestamp not null,
  updated_at timestamp not null,
  deleted_at timestamp
);
create unique index code_lists_by_name on code_lists (brand_key, name_folded) where deleted_at is null;
create index code_lists_by_brand on code_lists (brand_key, created_at, key);
create index code_lists_deleted on code_lists (key) where deleted_at is not null;

create table codes (
  list_key integer not null references code_lists (key),
  hash bytes not null,
  is_revoked flag not null default 0,
  primary key (list_key, hash)
) clustered;

-- The use of a code on a poll, written with the vote, which is stored under another hash. Without a time, a position and, on
-- SQLite, a rowid, so that the order of uses is not stored. On PostgreSQL a job rewrites the rows in the order of their hashes
-- (server/src/features/codes/mix-uses.ts).
create table code_uses (
  poll_key integer not null,
  hash bytes not null,
  primary key (poll_key, hash)
) clustered;

-- Only a code of this list admits a vote; null: every device votes.
alter table polls add column code_list_key integer references code_lists (key);
-- How many uses were in the order of their hashes when they were last rewritten. Only on PostgreSQL.
alter table polls add column mixed_uses integer not null default 0;
create index polls_by_code_list on polls (code_list_key) where code_list_key is not null;

-- postgres:
-- `cast_ballots` (0025) takes no vote on a poll with a list: the server decides those, which read codes too.
do $$
declare
  made text := pg_get_functiondef('cast_ballots'::regproc);
  found constant text := 'where polls.key = voted.key offset 0';
begin
  if position(found in made) = 0 then
    raise exception 'cast_ballots is not that of migration 0025';
  end if;
  execute replace(made, found, 'where polls.key = voted.key and code_list_key is null offset 0');
end
$$;
