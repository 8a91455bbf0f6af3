-- Every write of a brand: who changed what, and when. The names are those of that moment, because members, apps and subjects
-- can be renamed and removed. `actor_id` is 'operator' for the command line.
create table activity (
  key identity,
  id text not null,
  brand_key integer not null references brands (key),
  at timestamp not null,
  actor_kind text not null,
  actor_id text not null,
  actor_name text,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  subject_title text not null
);
-- One index for each filter, so that no filter reads the rows that it leaves out.
create index activity_by_brand on activity (brand_key, at, key);
create index activity_by_actor on activity (brand_key, actor_id, at, key);
create index activity_by_action on activity (brand_key, action, at, key);
create index activity_by_subject on activity (brand_key, subject_id, at, key);
