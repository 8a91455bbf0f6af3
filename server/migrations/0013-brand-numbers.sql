-- How many votes each quarter of an hour and each hour brought a brand, and all together (`width` 0). A background job adds the
-- votes up to `polls.vote_total`, so that a vote touches neither a row that all polls of a brand share nor an index on counts.
create table brand_vote_counts (
  brand_key integer not null,
  width integer not null,
  at timestamp not null,
  votes integer not null,
  primary key (brand_key, width, at)
) clustered;

-- `title_sort` is the beginning of the folded title: an index row of PostgreSQL holds at most 2,704 bytes.
alter table polls add column vote_total integer not null default 0;
-- sqlite:
alter table polls add column title_sort text not null default '';
-- postgres:
alter table polls add column title_sort text collate "C" not null default '';
-- both:
update polls set title_sort = substr(title_folded, 1, 100);
update polls set vote_total = coalesce((select option_a + option_b from tallies where tallies.poll_key = polls.key), 0)
  where deleted_at is null;

insert into brand_vote_counts (brand_key, width, at, votes)
  select brand_key, 900000, at - at % 900000, sum(option_a + option_b)
  from vote_counts join polls on polls.key = vote_counts.poll_key
  where width = 60000 and deleted_at is null group by brand_key, at - at % 900000;
insert into brand_vote_counts (brand_key, width, at, votes)
  select brand_key, 3600000, at, sum(option_a + option_b)
  from vote_counts join polls on polls.key = vote_counts.poll_key
  where width = 3600000 and deleted_at is null group by brand_key, at;
insert into brand_vote_counts (brand_key, width, at, votes)
  select brand_key, 0, 0, sum(vote_total) from polls where deleted_at is null group by brand_key;

-- The orders of an owner's list, which includes drafts, private and archived polls.
create index polls_owned_popular on polls (brand_key, vote_total, key, is_draft, archived_at,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where deleted_at is null;
create index polls_owned_titled on polls (brand_key, title_sort, key, is_draft, archived_at,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where deleted_at is null;
create index polls_owned_closing on polls (brand_key, closes_at, key, coalesce(opens_at, -1000000000000000), is_draft, archived_at)
  where deleted_at is null and closes_at is not null;
create index polls_owned_unending on polls (brand_key, key, coalesce(opens_at, -1000000000000000), is_draft, archived_at)
  where deleted_at is null and closes_at is null;
