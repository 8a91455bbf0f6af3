import { type Setting, settings } from '../src/config/settings.ts'
import { markdownTable } from './made-text.ts'

export const settingsTable = (): string =>
  markdownTable(
    ['variable', 'default', 'meaning'],
    Object.values<Setting>(settings).map((setting) => [
      `\`${setting.name}\``,
      shownDefault(setting),
      besideGuides(setting.meaning),
    ]),
  )

/** The catalogue links from the root of the repository; the table is in a guide. */
const besideGuides = (text: string): string => text.replaceAll('](docs/guides/', '](')

const shownDefault = (setting: Setting): string => setting.shownDefault ?? `\`${setting.fallback}\``

/** Variables that the repository's own commands read (scripts, tests, bench). The server reads only settings. */
export const commandVariables: Readonly<Record<string, string>> = {
  TEST_WORKERS: 'How many test files run at once. Default: 4.',
  TMPDIR:
    'Where test files keep their files. Default: memory (`/dev/shm`) if 8 GiB are free there, otherwise the temporary folder of the system.',
  TEST_DATABASE_URL:
    'The PostgreSQL in which tests create their databases. Default: `postgres://postgres@127.0.0.1:5432/postgres`.',
  TEST_CITUS_URL:
    'The coordinator of a cluster of Citus: tests create their databases there, and test services run with their votes distributed. Default: none.',
  TEST_TEMPLATE_DATABASE:
    'A migrated PostgreSQL database that test services copy. Set by a run of more than ten files.',
  TEST_TEMPLATE_SQLITE:
    'A folder with a migrated SQLite database that test services copy. Set by a run of more than ten files.',
  TEST_TOSSUP: 'The one-file build that tests start instead of the sources. Set by a run of more than ten files.',
  TEST_REDIS_URL: 'The Redis of the tests. Default: `redis://127.0.0.1:6379`.',
  TEST_S3_URL: 'A real bucket, in the form of `S3_URL`: the tests of uploads use it too.',
  PGBOUNCER_PATH:
    'The PgBouncer of the tests. From version 1.21 on, they run with prepared statements too. Default: that of the system.',
  TEST_SERVERS:
    '`2`: test services on PostgreSQL are two servers behind one address, with an S3, a Redis and no common folder. Default: one server.',
  TEST_SAMPLE_ENGINE:
    '`sqlite` or `postgres`: the engine of the tests whose subject is not the database. Set by a whole `npm test`, by `npm run test:proof` and by `.ci/run`. Default: both.',
  WORDPRESS_DIR:
    'The folder with releases of WordPress that `server/test/wordpress/get-wordpress.sh` made. Without it, the tests in WordPress are skipped.',
  MCP_TOOLS_DIR:
    'The folder with the tools that `server/test/get-mcp-tools.sh` installed: the conformance suite of the Model Context Protocol and its inspector. Without it, their tests are skipped.',
  CHROMIUM_PATH:
    'The browser of the tests. Default: `/usr/bin/chromium`, and `/usr/bin/chromium-headless-shell` where it is enough.',
  REQUIRE_SERVICES: '`1`: a missing PostgreSQL, Redis or Chromium fails the tests instead of skipping them.',
  UPDATE_FACTS: '`1`: tests write the generated files instead of failing, as `npm run facts` does.',
  UPDATE_SCREENSHOTS: '`1`: tests write the pictures of the guides.',
  RANDOM_CSS_SEED: 'Where the random stylesheets of the proof in the browser start.',
  RANDOM_CSS_SHEETS: 'How many random stylesheets that proof shows.',
  FUZZ_SEED: 'Where the random requests of the fuzz start: the seed that a failure names repeats its run.',
  FUZZ_RUNS: 'How many random requests the fuzz sends to a route. Default: 50.',
  SIMULATION_SEED: 'Where the seeds of the simulation start: the one that a failure names repeats its run.',
  SIMULATION_SEEDS: 'How many seeds the simulation runs on SQLite; on PostgreSQL a quarter of them.',
  BENCH_DATABASE_URL: 'The PostgreSQL of `npm run bench` and `npm run torture`. Default: `TEST_DATABASE_URL`.',
  LIGHTHOUSE_DIR:
    'The folder in which Lighthouse was installed, for `npm run bench -- --pages`. Default: this repository.',
  BUN_JSC_forceRAMSize:
    'The memory in bytes for which the garbage collector of the server is tuned. Default: 1 GiB ([decision 5](decisions/005-answers-in-memory.md)).',
  MIMALLOC_PURGE_HOLES:
    '`1`: the server hands small gaps between used memory back to the system, as Bun does by itself. Default: `0` ([decision 5](decisions/005-answers-in-memory.md)).',
  UV_THREADPOOL_SIZE:
    'How many threads Bun has for files, look-ups and syncs. Default: 16 ([decision 17](decisions/017-votes-on-sqlite.md)).',
  NODE_ENV: 'For libraries. Default: `production`; `development` for `npm run dev`.',
}

export const commandVariablesTable = (): string =>
  markdownTable(
    ['variable', 'meaning'],
    Object.entries(commandVariables).map(([name, meaning]) => [`\`${name}\``, meaning]),
  )
