-- The order of the options on cards: `fixed`, or `random`, drawn for each device.
alter table polls add column option_order text not null default 'fixed';

-- The sources that a brand has declared. Keys are never used again: rows that name a removed one count as other.
create table source_names (
  key identity,
  brand_key integer not null references brands (key),
  name text not null,
  created_at timestamp not null,
  unique (brand_key, name)
);

-- Where a vote came from, and in which order it saw the options. Null, which takes no room on PostgreSQL, is what most votes have.
alter table votes add column source_key integer;
alter table votes add column shown text;
alter table votes add column campaign_key integer;

-- Votes by attribution and hour, written with the votes that have one: `votes` has the same numbers. 0 and '' mean none.
create table attributed_counts (
  poll_key integer not null,
  at timestamp not null,
  source_key integer not null,
  campaign_key integer not null,
  shown text not null check (shown in ('', 'AB', 'BA')),
  option_a integer not null,
  option_b integer not null,
  primary key (poll_key, at, source_key, campaign_key, shown)
) clustered;

-- How often a poll was seen, by source, campaign and hour: added up in the memory of servers first, so approximate.
create table view_counts (
  poll_key integer not null,
  at timestamp not null,
  source_key integer not null,
  campaign_key integer not null,
  views integer not null,
  primary key (poll_key, at, source_key, campaign_key)
) clustered;

-- sqlite:
alter table fresh_votes add column source_key integer;
alter table fresh_votes add column shown text;
alter table fresh_votes add column campaign_key integer;

-- postgres:
-- Does what `cast_group` (0018) does, and stores attributions; servers that ran before this migration go on with that one. The rule
-- is that of `decide` (server/src/features/votes/decide.ts), and server/test/cast-votes.test.ts holds both against each other. 0018
-- explains the parameters and plans. `attributions` has, for each ballot, the place of its attribution in the four lists, or null:
-- the place of the poll, and a source, a campaign and an order of options, or null.
create function cast_ballots(
  voted_keys bigint[], places integer[], devices bytea, options text,
  attributions integer[], attributed_places integer[], sources text[], campaign_ids text[], orders text[]
) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  decided_at bigint;
  is_open boolean[];
  bases bigint[];
  states text;
  is_campaign boolean;
  source_keys bigint[];
  campaign_keys bigint[];
  shown_orders text[];
  is_attributed boolean := false;
  attributed integer[];
  respondents integer[];
  gained integer[];
  gained_a integer[];
  gained_b integer[];
  earlier_votes text;
  counted bigint;
begin
  perform set_config('lock_timeout', '1000', true), set_config('synchronous_commit', 'on', true);
  -- Polls alone, and not their tallies: a row that has changed while the group waited for it would be read and joined once more.
  perform from polls where key = any(voted_keys) order by key for update;
  -- The server has given this group up, or will soon: what it answers with 503 had better not be counted afterwards.
  if clock_timestamp() > statement_timestamp() + interval '4 seconds' then
    raise exception using errcode = 'query_canceled', message = 'a group of votes waited too long for its polls';
  end if;
  decided_at := floor(extract(epoch from clock_timestamp()) * 1000);

  -- A statement after the lock, because a statement that locks may read an older state of other rows.
  select array_agg(coalesce(
      archived_at is null and (opens_at is null or opens_at <= decided_at) and (closes_at is null or closes_at > decided_at)
      and version is not null, false) order by place),
    array_agg(option_a + option_b order by place),
    bool_or(campaign_count > 0),
    -- Not by `json_build_array`, which looks up how to write each value.
    string_agg('[' || voted.key || ',' || coalesce(opens_at::text, 'null') || ',' || coalesce(closes_at::text, 'null') || ','
      || coalesce(archived_at::text, 'null') || ',' || to_json(results_visibility) || ',' || option_a || ',' || option_b || ','
      || version || ',' || campaign_count || ']', ',') filter (where version is not null)
  into is_open, bases, is_campaign, states
  from unnest(voted_keys) with ordinality as voted (key, place)
  left join lateral (
    select opens_at, closes_at, archived_at, results_visibility, campaign_count, is_draft, deleted_at, option_a, option_b, version
    from polls join tallies on tallies.poll_key = polls.key where polls.key = voted.key offset 0
  ) as poll on is_draft = 0 and deleted_at is null;

  -- The same as `READ_ATTRIBUTIONS` (server/src/db/postgres/attributions.ts).
  if cardinality(attributed_places) > 0 then
    select array_agg(source_key order by at), array_agg(campaign_key order by at), array_agg(shown order by at),
      bool_or(source_key is not null or campaign_key is not null or shown is not null)
    into source_keys, campaign_keys, shown_orders, is_attributed
    from unnest(attributed_places, sources, campaign_ids, orders) with ordinality as given (place, source, campaign_id, wanted, at)
    left join lateral (
      select brand_key, case when option_order = 'random' then wanted end as shown
      from polls where polls.key = voted_keys[given.place] offset 0
    ) as poll on true
    left join lateral (
      select key as source_key from source_names
      where source_names.brand_key = poll.brand_key and source_names.name = given.source offset 0
    ) as declared on true
    left join lateral (
      select campaigns.key as campaign_key from campaigns
      join campaign_polls on campaign_polls.campaign_key = campaigns.key and campaign_polls.poll_key = voted_keys[given.place]
      where campaigns.id = given.campaign_id and deleted_at is null and campaign_polls.place is not null offset 0
    ) as holding on true;
  end if;

  with ballot as materialized (
    select at, place, voter.device, letter, earlier.option as earlier_option, earlier.voted_at as earlier_at
    from unnest(places, string_to_array(options, null)) with ordinality as given (place, letter, at)
    cross join lateral (select substring(devices from (at::int - 1) * 16 + 1 for 16) as device) as voter
    left join lateral (
      select option, voted_at from votes
      where poll_key = voted_keys[place] and votes.device between voter.device and voter.device order by votes.device limit 1
    ) as earlier on true
  ), winner as materialized (
    select at, place, device, letter, bases[place] + row_number() over (partition by place order by at) as position
    from ballot where is_open[place] and earlier_at is null and letter in ('A', 'B')
  ), added as (
    insert into votes (poll_key, position, device, option, voted_at, source_key, shown, campaign_key)
    select voted_keys[place], position, device, letter, decided_at,
      source_keys[attributions[at]], shown_orders[attributions[at]], campaign_keys[attributions[at]]
    from winner
  ), gain as (
    select place, count(*) filter (where letter = 'A') as a, count(*) filter (where letter = 'B') as b
    from winner group by place order by place
  )
  select array_agg(place), array_agg(a), array_agg(b),
    (select string_agg('[' || at || ',"' || earlier_option || '",' || earlier_at || ']', ',') from ballot where earlier_at is not null),
    (select array_agg(at) from winner where is_campaign),
    (select array_agg(at) from winner where is_attributed and (source_keys[attributions[at]] is not null
      or campaign_keys[attributions[at]] is not null or shown_orders[attributions[at]] is not null))
  into gained, gained_a, gained_b, earlier_votes, respondents, attributed
  from gain;

  if gained is not null then
    update tallies
    set option_a = option_a + a, option_b = option_b + b, version = version + 1, updated_at = decided_at
    from unnest(gained, gained_a, gained_b) as gain (place, a, b)
    where tallies.poll_key = any (array[voted_keys[place]]);

    -- Nearly always all rows are there, and changing them costs less than an insert that finds out.
    update vote_counts
    set option_a = option_a + a, option_b = option_b + b
    from (
      select voted_keys[place] as poll_key, width, decided_at - decided_at % width as at, a, b
      from unnest(gained, gained_a, gained_b) as gain (place, a, b)
      cross join (values (60000::bigint), (3600000::bigint)) as widths (width) offset 0
    ) as gain
    where vote_counts.poll_key = any (array[gain.poll_key]) and vote_counts.width = gain.width and vote_counts.at = gain.at;
    get diagnostics counted = row_count;
    if counted < 2 * cardinality(gained) then
      insert into vote_counts (poll_key, width, at, option_a, option_b)
      select voted_keys[place], width, decided_at - decided_at % width, a, b
      from unnest(gained, gained_a, gained_b) as gain (place, a, b)
      cross join (values (60000::bigint), (3600000::bigint)) as widths (width)
      where not exists (
        select from vote_counts as earlier
        where earlier.poll_key = voted_keys[place] and earlier.width = widths.width and earlier.at = decided_at - decided_at % widths.width
        offset 0
      );
    end if;

    if attributed is not null then
      insert into attributed_counts (poll_key, at, source_key, campaign_key, shown, option_a, option_b)
      select voted_keys[places[at]], decided_at - decided_at % 3600000, coalesce(source_keys[attributions[at]], 0),
        coalesce(campaign_keys[attributions[at]], 0), coalesce(shown_orders[attributions[at]], ''),
        count(*) filter (where substr(options, at, 1) = 'A'), count(*) filter (where substr(options, at, 1) = 'B')
      from unnest(attributed) as ballot (at)
      group by 1, 2, 3, 4, 5
      order by 1, 2, 3, 4, 5
      on conflict (poll_key, at, source_key, campaign_key, shown) do update
      set option_a = attributed_counts.option_a + excluded.option_a, option_b = attributed_counts.option_b + excluded.option_b;
    end if;

    if respondents is not null then
      insert into campaign_respondents (campaign_key, device, started_at)
      select distinct campaign_key, substring(devices from (at - 1) * 16 + 1 for 16) as device, decided_at
      from unnest(respondents) as ballot (at)
      cross join lateral (
        select campaign_key from campaign_polls
        where poll_key = voted_keys[places[at]] and campaign_polls.place is not null offset 0
      ) as campaign
      order by campaign_key, device
      on conflict (campaign_key, device) do nothing;
    end if;
  end if;

  return '{"now":' || decided_at || ',"polls":[' || coalesce(states, '') || '],"gains":['
    || coalesce(to_json(gained)::text || ',' || to_json(gained_a)::text || ',' || to_json(gained_b)::text, '')
    || '],"earlier":[' || coalesce(earlier_votes, '') || ']}';
end
$$;
