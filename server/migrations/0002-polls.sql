-- Polls, their pictures, tags and categories.

create table categories (
  key identity,
  id text not null unique,
  slug text not null unique,
  name text not null,
  created_at timestamp not null
);

-- An unused file has an `expires_at`; a file that is being removed has a `removed_at`, and no poll may take it any more.
-- `variants_due_at` is null when all variants exist. A composed picture is made of two others, `part_a` and `part_b`.
create table files (
  key text primary key,
  brand_key integer not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size integer not null,
  width integer not null,
  height integer not null,
  created_at timestamp not null,
  expires_at timestamp,
  removed_at timestamp,
  variants_due_at timestamp,
  variants_tried integer not null default 0,
  variant_widths text not null default '',
  part_a text,
  part_b text
) clustered;
create index files_expiring on files (expires_at) where expires_at is not null;
create index files_removed on files (removed_at) where removed_at is not null;
create index files_due on files (variants_due_at) where variants_due_at is not null;

-- `held_by` is the upload that is using the ticket; a complete upload deletes its ticket.
create table upload_tickets (
  key text primary key,
  brand_key integer not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size integer,
  expires_at timestamp not null,
  held_by text
) clustered;
create index upload_tickets_by_expiry on upload_tickets (expires_at);

-- A deleted poll stays as a tombstone, so that its identifiers are never used again; `is_emptied` says that its votes are
-- removed. The ledger reads `campaign_count` to know whether a vote makes a respondent. `announced_status` is the last
-- status that an event told of, `announce_at` the time of the next one; both are null for drafts.
create table polls (
  key identity,
  id text not null unique,
  short_id text not null unique,
  slug text not null unique,
  brand_key integer not null references brands (key),
  title text not null,
  title_folded text not null,
  label_a text not null,
  label_b text not null,
  image_a text references files (key),
  image_b text references files (key),
  image_combined text references files (key),
  alt_a text,
  alt_b text,
  is_draft flag not null,
  is_private flag not null,
  results_visibility text not null,
  opens_at timestamp,
  closes_at timestamp,
  popularity integer not null default 0,
  created_at timestamp not null,
  updated_at timestamp not null,
  revised_at timestamp,
  archived_at timestamp,
  deleted_at timestamp,
  image_composed text references files (key),
  campaign_count integer not null default 0,
  announced_status text,
  announce_at timestamp,
  is_emptied flag not null default 0
);

-- Lists filter by status inside the index, without reading the polls that they leave out. An absent opens_at or closes_at
-- is replaced by a time that is never reached.
create index polls_owned on polls (brand_key, created_at, key, is_draft, archived_at,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where deleted_at is null;
create index polls_recent on polls (brand_key, created_at, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
create index polls_popular on polls (brand_key, popularity, key,
    coalesce(opens_at, -1000000000000000), coalesce(closes_at, 1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null;
create index polls_closing on polls (brand_key, closes_at, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is not null;
create index polls_unending on polls (brand_key, key, coalesce(opens_at, -1000000000000000))
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and closes_at is null;
create index polls_opening on polls (brand_key, opens_at)
  where is_private = 0 and is_draft = 0 and archived_at is null and deleted_at is null and opens_at is not null;
-- The worker looks every few seconds for deleted polls that still have votes, and for statuses to announce.
create index polls_deleted on polls (key) where deleted_at is not null and is_emptied = 0;
create index polls_to_announce on polls (announce_at) where announce_at is not null;
create index polls_by_image_a on polls (image_a) where image_a is not null;
create index polls_by_image_b on polls (image_b) where image_b is not null;
create index polls_by_image_combined on polls (image_combined) where image_combined is not null;
create index polls_by_image_composed on polls (image_composed) where image_composed is not null;

create table poll_tags (
  poll_key integer not null references polls (key),
  tag text not null,
  place integer not null,
  primary key (poll_key, tag)
) clustered;
create index poll_tags_by_tag on poll_tags (tag, poll_key);

create table poll_categories (
  poll_key integer not null references polls (key),
  category_key integer not null references categories (key),
  place integer not null,
  primary key (poll_key, category_key)
) clustered;
create index poll_categories_by_category on poll_categories (category_key, poll_key);
