-- At least one row in each table of the first release; bytes as SQLite writes them. Keys are given by the database.
insert into data_keys (name, wrapped, created_at) values ('device', x'00ff10', 1), ('token', x'', 2);
insert into brands (id, slug, name, display_name, theme, theme_version, created_at, updated_at) values
  ('b-1', 'tea-house', 'Tea house', 'The "Tea" house', '{"accent":"#0a0"}', 3, 1700000000000, 1700000000001),
  ('b-2', 'coffee-bar', 'Coffee bar', null, '{}', 0, 1700000000002, 1700000000003);
insert into theme_styles (brand_key, from_version, until_version, source, css, created_at, retired_at) values
  (1, 1, 3, 'a{}', '.a{}', 1700000000000, 1700000000009), (1, 3, null, 'b{}', '.b{}', 1700000000009, null);
insert into apps (id, brand_key, api_key_id, secret_hash, scopes, created_at, revoked_at) values
  ('a-1', 1, 'k-1', x'aa01', 'vote view', 1700000000000, null), ('a-2', null, 'k-2', x'aa02', 'view', 1700000000001, 1700000000002);
insert into token_families (app_key, device, scopes, created_at, expires_at, revoked_at) values
  (1, x'01010101010101010101010101010101', 'vote', 1700000000000, 1900000000000, null);
insert into refresh_tokens (hash, family_key, expires_at, used_at, successor_hash, successor_pair) values
  (x'f1', 1, 1900000000000, 1700000000001, x'f2', x'cafe'), (x'f2', 1, 1900000000000, null, null, null);
insert into access_tokens (hash, family_key, expires_at) values (x'e1', 1, 1900000000000);
insert into idempotency_keys (brand_key, key, fingerprint, status, body, location, request_id, expires_at) values
  (1, 'once', x'0102', 201, x'7b7d', '/polls/p-1', 'r-1', 1900000000000);
insert into categories (id, slug, name, created_at) values ('c-1', 'drinks', 'Drinks', 1700000000000);
insert into files (key, brand_key, slot, content_type, byte_size, width, height, created_at, expires_at, removed_at,
    variants_due_at, variants_tried, variant_widths, part_a, part_b) values
  ('f-a', 1, 'optionA', 'image/png', 100, 10, 20, 1700000000000, null, null, null, 0, '160 320', null, null),
  ('f-b', 1, 'optionB', 'image/webp', 200, 30, 40, 1700000000001, 1900000000000, null, 1700000000002, 2, '', null, null),
  ('f-c', 1, 'composed', 'image/webp', 300, 50, 60, 1700000000003, null, 1700000000004, null, 0, '', 'f-a', 'f-b');
insert into upload_tickets (key, brand_key, slot, content_type, byte_size, expires_at, held_by) values
  ('t-1', 1, 'optionA', 'image/png', 100, 1900000000000, null), ('t-2', 2, 'optionB', 'image/png', null, 1900000000000, 'u-1');
insert into polls (id, short_id, slug, brand_key, title, title_folded, label_a, label_b, image_a, image_b, image_combined,
    alt_a, alt_b, is_draft, is_private, results_visibility, opens_at, closes_at, popularity, created_at, updated_at,
    revised_at, archived_at, deleted_at, image_composed, campaign_count, announced_status, announce_at, is_emptied) values
  ('p-1', 's1', 'tea-or-coffee', 1, 'Tea or coffee?', 'tea or coffee?', 'Tea', 'Coffee', 'f-a', 'f-b', null,
    'A cup', null, 0, 0, 'always', 1700000000000, null, 7, 1700000000000, 1700000000005, 1700000000006, null, null,
    'f-c', 1, 'open', null, 0),
  ('p-2', 's2', 'milk', 1, 'Milk, 牛奶?', 'milk, 牛奶?', 'Yes', 'No', null, null, null, null, null, 1, 1, 'after_vote', null,
    1900000000000, 0, 1700000000001, 1700000000001, null, 1700000000007, null, null, 0, null, null, 0),
  ('p-3', 's3', 'gone', 2, 'Gone', 'gone', 'A', 'B', null, null, null, null, null, 0, 0, 'always', null, null, 0,
    1700000000002, 1700000000002, null, null, 1700000000008, null, 0, 'closed', null, 1);
insert into poll_tags (poll_key, tag, place) values (1, 'hot', 0), (1, 'drinks', 1);
insert into poll_categories (poll_key, category_key, place) values (1, 1, 0);
insert into tallies (poll_key, option_a, option_b, version, updated_at) values
  (1, 2, 1, 3, 1700000000030), (2, 0, 0, 0, 1700000000001);
insert into votes (poll_key, position, device, option, voted_at) values
  (1, 1, x'01010101010101010101010101010101', 'A', 1700000000010),
  (1, 2, x'02020202020202020202020202020202', 'B', 1700000000020),
  (1, 3, x'03030303030303030303030303030303', 'A', 1700000000030);
insert into vote_counts (poll_key, width, at, option_a, option_b) values
  (1, 60000, 1699999980000, 2, 1), (1, 3600000, 1699999200000, 2, 1);
insert into forgotten_devices (device, forgotten_at) values (x'02020202020202020202020202020202', 1700000000025);
-- The last key of campaigns is used up by a row that is gone: it must not be given again.
insert into campaigns (id, brand_key, title, title_folded, description, state, is_public, opens_at, closes_at, created_at,
    updated_at, deleted_at) values
  ('d-1', 1, 'Breakfast', 'breakfast', 'All of it', 'published', 1, null, 1900000000000, 1700000000000, 1700000000001, null),
  ('d-2', 2, 'Dinner', 'dinner', null, 'draft', 0, null, null, 1700000000000, 1700000000000, 1700000000003),
  ('d-3', 2, 'Supper', 'supper', null, 'archived', 0, null, null, 1700000000000, 1700000000000, null);
delete from campaigns where id = 'd-3';
insert into campaign_polls (campaign_key, poll_key, place, walked_to, walk_end) values (1, 1, 0, 1, 2), (1, 2, null, 0, 0);
insert into campaign_respondents (campaign_key, device, started_at) values
  (1, x'01010101010101010101010101010101', 1700000000010), (1, x'03030303030303030303030303030303', 1700000000030);
insert into webhooks (id, brand_key, url, events, description, status, secret, earlier_secret, earlier_secret_until,
    created_at, updated_at, last_delivery_at, failing_since, leased_by, leased_until) values
  ('w-1', 1, 'https://example.com/hook', 'poll.voted poll.closed', 'The till', 'ACTIVE', x'5ec1', x'5ec0', 1900000000000,
    1700000000000, 1700000000001, 1700000000002, null, 'l-1', 1700000000003),
  ('w-2', 1, '', 'poll.voted', null, 'ACTIVE', x'', null, null, 1700000000000, 1700000000000, null, null, null, null);
insert into outbox (id, brand_key, type, payload, created_at) values ('e-1', 1, 'poll.voted', '[{"a":1}]', 1700000000010);
insert into webhook_deliveries (id, webhook_key, event_id, event_type, payload, status, attempts, next_attempt_at, created_at)
  values
  ('v-1', 1, 'e-0', 'poll.closed', '{"n":1}', 'pending', 1, 1700000000100, 1700000000011),
  ('v-2', 1, 'e-9', 'poll.voted', '{"n":2}', 'succeeded', 1, null, 1700000000012),
  ('v-3', 2, 'e-9', 'poll.voted', '{"n":3}', 'pending', 0, 1700000000012, 1700000000012);
insert into webhook_attempts (delivery_key, number, at, response_status, duration_ms, error_class, response_body) values
  (1, 1, 1700000000050, null, 12, 'timeout', null), (2, 1, 1700000000051, 204, 3, null, '');
insert into deleted_webhooks (key) values (77);
insert into listeners (brand_key, events, listening_until) values (1, 'poll.voted', 1900000000000);
insert into listener_events (listener_key, event_id, payload) values (1, 'e-1', '{"n":4}');
insert into tally_notices (poll_key, is_due, raised_at) values (1, 1, 1700000000000);
