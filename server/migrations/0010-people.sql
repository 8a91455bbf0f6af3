-- People, the brands that they work for, and the ways in which they sign in.

-- `email` is as typed; `email_key` is the form in which two spellings of one address are equal. `is_proven` is 1 once the person
-- has shown that they read mail to the address, by a mailed link or by a provider that verified it.
create table people (
  key identity,
  id text not null unique,
  email text not null,
  email_key text not null unique,
  name text,
  is_proven flag not null default 0,
  created_at timestamp not null
);

create table members (
  brand_key integer not null references brands (key),
  person_key integer not null references people (key),
  role text not null check (role in ('owner', 'editor', 'analyst')),
  created_at timestamp not null,
  last_seen_at timestamp,
  primary key (brand_key, person_key)
) clustered;
create index members_by_person on members (person_key);
create index members_listed on members (brand_key, created_at, person_key);

-- An address has one invitation to a brand: a second one replaces the first. The link that the inviter sees and the mailed one
-- differ, because only the mailed one shows who reads the address.
create table invitations (
  key identity,
  id text not null unique,
  brand_key integer not null references brands (key),
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'editor', 'analyst')),
  link_hash bytes not null unique,
  mail_hash bytes unique,
  created_at timestamp not null,
  expires_at timestamp not null,
  unique (brand_key, email_key)
);
create index invitations_listed on invitations (brand_key, created_at, key);
create index invitations_by_expiry on invitations (expires_at);

-- One-time links of people who have an account. Using a link deletes its row.
create table sign_in_links (
  hash bytes primary key,
  is_mailed flag not null,
  person_key integer not null references people (key) on delete cascade,
  expires_at timestamp not null
) clustered;
create index sign_in_links_by_person on sign_in_links (person_key);
create index sign_in_links_by_expiry on sign_in_links (expires_at);

create table sessions (
  key identity,
  id text not null unique,
  person_key integer not null references people (key) on delete cascade,
  hash bytes not null unique,
  user_agent text not null,
  created_at timestamp not null,
  last_seen_at timestamp not null,
  expires_at timestamp not null
);
create index sessions_by_person on sessions (person_key, created_at, key);
create index sessions_by_expiry on sessions (expires_at);

-- Access tokens of people. The scopes follow from the role, which is read with the token; without a member of the brand, the
-- token is dead, so the brand needs no foreign key.
create table session_tokens (
  hash bytes primary key,
  session_key integer not null references sessions (key) on delete cascade,
  brand_key integer not null,
  expires_at timestamp not null
) clustered;
create index session_tokens_by_session on session_tokens (session_key);
create index session_tokens_by_expiry on session_tokens (expires_at);

create table passkeys (
  key identity,
  id text not null unique,
  person_key integer not null references people (key) on delete cascade,
  credential_id text not null unique,
  public_key bytes not null,
  counter integer not null,
  transports text not null,
  name text not null,
  created_at timestamp not null,
  last_used_at timestamp
);
create index passkeys_by_person on passkeys (person_key, created_at, key);

-- Challenges of passkeys that were answered, so that no answer works twice. A challenge that nobody answers is not stored.
create table used_challenges (
  hash bytes primary key,
  expires_at timestamp not null
) clustered;
create index used_challenges_by_expiry on used_challenges (expires_at);
