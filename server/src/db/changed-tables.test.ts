import { expect, test } from 'bun:test'
import { changedTables } from './changed-tables.ts'

test('the tables that scripts change are found, polls first', () => {
  const scripts = [
    `-- alter table brands is only spoken of here
alter table apps add column name text;
create table members (
  brand_key bigint not null references brands (key),
  app_key bigint references apps (key)
);
create unique index members_by_brand on members (brand_key);`,
    `insert into tallies_of_brands select brand_key, count(*) from votes join polls on true group by 1;
update polls set title = 'x';
delete from webhooks where key = 1;
drop table earlier;
create function later() returns void language sql as $$
  update apps_of_functions set name = 'x';
  insert into votes select 1;
$$;`,
  ]
  expect(changedTables(scripts)).toEqual({
    changed: ['polls', 'apps', 'earlier', 'members', 'tallies_of_brands', 'webhooks'],
    referenced: ['brands'],
  })
  expect(changedTables([])).toEqual({ changed: [], referenced: [] })
})
