-- Programs that act for a person and a brand, with the permissions that the person gave. A grant begins with a one-time code, and
-- ends with it if nobody redeems the code: `expires_at` moves with each refresh. Ending a grant deletes its row, tokens included.
create table agent_grants (
  key identity,
  id text not null unique,
  person_key integer not null references people (key) on delete cascade,
  brand_key integer not null,
  client_id text not null,
  client_name text not null,
  leaves text not null,
  code_hash bytes not null unique,
  code_challenge text not null,
  redirect_uri text not null,
  created_at timestamp not null,
  redeemed_at timestamp,
  last_used_at timestamp,
  expires_at timestamp not null
);
create index agent_grants_by_brand on agent_grants (brand_key, created_at, key);
create index agent_grants_by_person on agent_grants (person_key);
create index agent_grants_by_expiry on agent_grants (expires_at);

-- A used refresh token stays, so that its reuse is noticed, with its successor encrypted under a key derived from it.
create table agent_tokens (
  hash bytes primary key,
  grant_key integer not null references agent_grants (key) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  used_at timestamp,
  successor_hash bytes,
  successor_pair bytes,
  expires_at timestamp not null
) clustered;
create index agent_tokens_by_grant on agent_tokens (grant_key);
create index agent_tokens_by_expiry on agent_tokens (expires_at);

-- The person for whom an agent acted.
alter table activity add column person_id text;
alter table activity add column person_name text;
