-- The funnel of a campaign follows its votes in the background. `funnel_to` is the position up to which the votes of a step are
-- counted; null for a poll that is no step. `funnel_respondents` counts those of remembered devices.
alter table campaign_polls add column funnel_to integer;
alter table campaign_polls add column funnel_respondents integer not null default 0;
alter table campaigns add column funnel_completed integer not null default 0;

-- A deleted brand stays as a tombstone, so that its slug is never used again; `is_emptied` says that nothing else of it is left.
alter table brands add column deleted_at timestamp;
alter table brands add column is_emptied flag not null default 0;
create index brands_deleted on brands (key) where deleted_at is not null and is_emptied = 0;
create index files_by_brand on files (brand_key) where removed_at is null;
