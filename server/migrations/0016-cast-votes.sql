-- postgres:
-- Casts a group of votes in one statement, so that a server holds no lock while it thinks or waits for the network. The rule is
-- that of `decide` (server/src/features/votes/decide.ts), and server/test/cast-votes.test.ts holds both against each other.
-- `voted_keys` are the polls of the group; for each ballot, `places` has the place of its poll in them, `devices` 16 bytes, and
-- `options` a letter: A or B, or a or b where a challenge is due and not solved. Answers with the time of the votes, the polls
-- as they were before, what each gained, and the earlier votes of the ballots' devices.
create function cast_votes(voted_keys bigint[], places integer[], devices bytea, options text) returns text
language plpgsql
-- Cached plans may be from when the tables were empty and reading them whole was cheapest.
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
  answer text;
begin
  perform set_config('lock_timeout', '1000', true), set_config('synchronous_commit', 'on', true);
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
    '[' || string_agg(json_build_array(voted.key, opens_at, closes_at, archived_at, results_visibility, option_a, option_b,
      version, campaign_count)::text, ',') filter (where version is not null) || ']'
  into is_open, bases, is_campaign, states
  from unnest(voted_keys) with ordinality as voted (key, place)
  left join polls on polls.key = voted.key and is_draft = 0 and deleted_at is null
  left join tallies on tallies.poll_key = polls.key;

  with ballot as materialized (
    select at, place, voter.device, letter, earlier.option as earlier_option, earlier.voted_at as earlier_at
    from unnest(places, string_to_array(options, null)) with ordinality as given (place, letter, at)
    cross join lateral (select substring(devices from (at::int - 1) * 16 + 1 for 16) as device) as voter
    left join votes as earlier on earlier.poll_key = voted_keys[place] and earlier.device = voter.device
  ), winner as materialized (
    select place, device, letter, bases[place] + row_number() over (partition by place order by at) as position
    from (
      select distinct on (place, device) at, place, device, letter from ballot
      where is_open[place] and earlier_at is null and letter in ('A', 'B')
      order by place, device, at
    ) as first_ballot
  ), added as (
    insert into votes (poll_key, position, device, option, voted_at)
    select voted_keys[place], position, device, letter, decided_at from winner order by place, position
  ), gain as materialized (
    select place, count(*) filter (where letter = 'A') as a, count(*) filter (where letter = 'B') as b
    from winner group by place order by place
  ), counted as (
    insert into vote_counts (poll_key, width, at, option_a, option_b)
    select voted_keys[place], width, decided_at - decided_at % width, a, b
    from gain cross join (values (60000::bigint), (3600000::bigint)) as widths (width)
    on conflict (poll_key, width, at) do update
    set option_a = vote_counts.option_a + excluded.option_a, option_b = vote_counts.option_b + excluded.option_b
  ), tallied as (
    update tallies
    set option_a = option_a + gain.a, option_b = option_b + gain.b, version = version + 1, updated_at = decided_at
    from gain where tallies.poll_key = voted_keys[gain.place]
  ), respondents as (
    insert into campaign_respondents (campaign_key, device, started_at)
    select distinct campaign_key, device, decided_at
    from winner join campaign_polls on campaign_polls.poll_key = voted_keys[winner.place] and campaign_polls.place is not null
    where is_campaign
    order by campaign_key, device
    on conflict (campaign_key, device) do nothing
  )
  select '{"now":' || decided_at || ',"polls":' || coalesce(states, '[]') ||
    ',"gains":[' || coalesce((select string_agg(json_build_array(place, a, b)::text, ',') from gain), '') ||
    '],"earlier":[' || coalesce((select string_agg(json_build_array(at, earlier_option, earlier_at)::text, ',')
      from ballot where earlier_at is not null), '') || ']}'
  into answer;
  return answer;
end
$$;
