-- What a member is mailed about a brand, all off at first. `digest_at` is when the next weekly digest is due, null where it is off;
-- `mailed_at` is when news of polls were last mailed.
alter table members add column is_mailed_closed flag not null default 0;
alter table members add column is_mailed_first flag not null default 0;
alter table members add column is_mailed_round flag not null default 0;
alter table members add column mail_lang text not null default 'en';
alter table members add column mailed_at timestamp;
alter table members add column digest_at timestamp;
create index members_by_digest on members (digest_at) where digest_at is not null;

-- News of polls for members: `total` is the number of votes that the poll reached, or 0 if it closed. A row stays after its mail
-- was sent, so that nobody is told twice. Brands and polls stay as tombstones: a foreign key would be checked at each change of them.
create table member_mails (
  key identity,
  brand_key integer not null,
  person_key integer not null references people (key) on delete cascade,
  poll_key integer not null,
  total integer not null,
  created_at timestamp not null,
  sent_at timestamp,
  unique (person_key, brand_key, poll_key, total)
);
create index member_mails_unsent on member_mails (brand_key, person_key, key) where sent_at is null;

-- The next number of votes that events and mails tell of. A job compares it with `vote_total`, so that a vote costs nothing more.
alter table polls add column next_milestone integer not null default 1;
update polls set next_milestone = case
    when vote_total < 10 then 10 when vote_total < 100 then 100 when vote_total < 1000 then 1000 when vote_total < 10000 then 10000
    when vote_total < 100000 then 100000 when vote_total < 1000000 then 1000000 when vote_total < 10000000 then 10000000
    when vote_total < 100000000 then 100000000 else 1000000000 end
  where vote_total > 0;
create index polls_at_milestone on polls (key) where vote_total >= next_milestone and deleted_at is null;
