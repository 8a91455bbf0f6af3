-- A brand's own stylesheet: as it was written, and as it is served. One row holds for the versions of the theme from
-- from_version up to, but not including, until_version; without one it still holds.
create table theme_styles (
  brand_key bigint not null references brands (key) on delete cascade,
  from_version bigint not null,
  until_version bigint,
  source text not null,
  css text not null,
  created_at bigint not null,
  retired_at bigint,
  primary key (brand_key, from_version)
);
