-- A file that nothing shows has an `expires_at`; one that is going has a `removed_at`, and nobody may take it any more.
-- `variants_due_at` is null when nothing is left to make of it. A composed picture is made of two others.
alter table files add column expires_at integer;
alter table files add column removed_at integer;
alter table files add column variants_due_at integer;
alter table files add column variants_tried integer not null default 0;
alter table files add column variant_widths text not null default '';
alter table files add column part_a text;
alter table files add column part_b text;
create index files_expiring on files (expires_at) where expires_at is not null;
create index files_removed on files (removed_at) where removed_at is not null;
create index files_due on files (variants_due_at) where variants_due_at is not null;
update files set variants_due_at = created_at;

alter table polls add column image_composed text references files (key);
create index polls_by_image_a on polls (image_a) where image_a is not null;
create index polls_by_image_b on polls (image_b) where image_b is not null;
create index polls_by_image_combined on polls (image_combined) where image_combined is not null;
create index polls_by_image_composed on polls (image_composed) where image_composed is not null;

-- `held_by` is the upload that uses the ticket now; once it is complete, the ticket is gone.
create table upload_tickets (
  key text primary key,
  brand_key integer not null references brands (key),
  slot text not null,
  content_type text not null,
  byte_size integer,
  expires_at integer not null,
  held_by text
) strict, without rowid;
create index upload_tickets_by_expiry on upload_tickets (expires_at);
