import { settings } from '../server/src/settings.ts'
import { sectionOf } from './results-file.ts'
import { figureAt } from './results-table.ts'

const DAY = 86_400
const MONTH_DAYS = 30

/** What the model supposes about traffic and machines. Nobody measured these: the guide lists them, and says so. */
export const SUPPOSED = {
  /** The busiest second of a day against its average. */
  peak: 10,
  /** The part of a core that the peak may use. */
  load: 0.5,
  viewsPerVote: 10,
  /** Places of a CDN that fetch for themselves, each in every variant of a page. */
  cdnPlaces: 100,
  /** A page exists in ten languages and three codings. */
  variants: 30,
  diskBytes: 1e12,
  /** A voter keeps the page open for so long after the vote. */
  staySeconds: 120,
  /** Votes of a show: the seconds until they arrive at their full rate, and the part that arrives in the first minute. */
  rampSeconds: 5,
  firstMinute: 0.7,
} as const

interface EngineCosts {
  /** On one core of the server, with as much load as it takes. */
  readonly hotPerSecond: number
  readonly spreadPerSecond: number
  readonly serverMicroseconds: number
  /** The same for votes on one poll. */
  readonly hotMicroseconds: number
  readonly bytesPerVote: number
}

/** What a vote costs the Redis that servers share. */
interface RedisCosts {
  readonly microseconds: number
  readonly commands: number
}

/** What was measured, by `npm run bench`. */
export interface Costs {
  readonly sqlite: EngineCosts
  readonly postgres: EngineCosts & { readonly databaseMicroseconds: number; readonly hotDatabaseMicroseconds: number }
  readonly redis: RedisCosts | null
  readonly readsPerSecond: number
  readonly bytesPerStream: number
  /** Processor time of one open stream in a second in which votes arrive. */
  readonly streamMicroseconds: number
  readonly pageBytes: number
}

export function readCosts(results: string): Costs {
  const workload = (name: string, column: string) =>
    figureAt(results, { section: 'workloads', table: '', row: name, column })
  const disk = (engine: string, row: string) =>
    figureAt(results, { section: 'growth', table: `${engine}, votes stored`, row, column: 'on disk' }) * 1e6
  const costsOf = (name: string, engine: string): EngineCosts => ({
    hotPerSecond: workload(`votes on one poll, Tossup on ${name}`, 'requests/s'),
    spreadPerSecond: workload(`votes over 100 polls, Tossup on ${name}`, 'requests/s'),
    serverMicroseconds: workload(`votes over 100 polls, Tossup on ${name}`, 'CPU µs'),
    hotMicroseconds: workload(`votes on one poll, Tossup on ${name}`, 'CPU µs'),
    bytesPerVote: (disk(engine, '10,000,000') - disk(engine, '1,000,000')) / 9e6,
  })
  const listeners = (row: string, column: string) =>
    figureAt(results, { section: 'listeners', table: '10,000 listeners', row: `sqlite, ${row}`, column })
  const database = (row: string) =>
    figureAt(results, { section: 'scale', table: 'votes on PostgreSQL', row, column: 'database µs' })
  return {
    sqlite: costsOf('SQLite', 'sqlite'),
    postgres: {
      ...costsOf('PostgreSQL', 'postgres'),
      databaseMicroseconds: database('over 100 polls'),
      hotDatabaseMicroseconds: database('on one poll'),
    },
    redis: redisCosts(results),
    readsPerSecond: workload('reads of a poll, Tossup on SQLite', 'requests/s'),
    bytesPerStream:
      ((listeners('over 100 others', 'idle') - listeners('over 100 others', 'memory without')) * 1e6) / 10_000,
    // The part of a core that is left for votes while the listeners of their poll are told of them.
    streamMicroseconds: ((1 - listeners('all on the poll that is voted on', 'by CPU')) * 1e6) / 10_000,
    pageBytes: figureAt(results, { section: 'pages', table: 'page', row: 'poll', column: 'bytes without pictures' }),
  }
}

const REDIS_TABLE = 'votes with limits in Redis'

/** Null where the run that made the results had no Redis. */
function redisCosts(results: string): RedisCosts | null {
  if (!sectionOf(results, 'scale').includes(`| ${REDIS_TABLE} `)) return null
  const redis = (column: string) =>
    figureAt(results, { section: 'scale', table: REDIS_TABLE, row: 'on one poll', column })
  return { microseconds: redis('Redis µs'), commands: redis('commands') }
}

/** A day with this many votes, spread over many polls. */
export interface DayLoad {
  readonly votes: number
  readonly average: number
  readonly peak: number
  /** The peak against all that one server takes. */
  readonly shareOfSqlite: number
  readonly shareOfPostgres: number
  readonly serverCores: number
  readonly databaseCores: number
  readonly diskDays: { readonly sqlite: number; readonly postgres: number }
  readonly trafficBytes: number
  /** Independent services, each with its own PostgreSQL, among which brands are divided. */
  readonly services: number
}

export function dayLoad(costs: Costs, votes: number): DayLoad {
  const average = votes / DAY
  const peak = average * SUPPOSED.peak
  const coresFor = (microseconds: number) => (peak * microseconds) / 1e6 / SUPPOSED.load
  const daysOf = ({ bytesPerVote }: EngineCosts) => SUPPOSED.diskBytes / (votes * bytesPerVote)
  return {
    votes,
    average,
    peak,
    shareOfSqlite: peak / costs.sqlite.spreadPerSecond,
    shareOfPostgres: peak / costs.postgres.spreadPerSecond,
    serverCores: coresFor(costs.postgres.serverMicroseconds),
    databaseCores: coresFor(costs.postgres.databaseMicroseconds),
    diskDays: { sqlite: daysOf(costs.sqlite), postgres: daysOf(costs.postgres) },
    trafficBytes: votes * SUPPOSED.viewsPerVote * costs.pageBytes,
    services: Math.ceil(peak / (costs.postgres.spreadPerSecond * SUPPOSED.load)),
  }
}

/** What the first month needs: whole cores, the disk of its votes, the traffic of its pages. */
export const firstMonth = (costs: Costs, day: DayLoad) => ({
  cores: Math.max(2, Math.ceil(day.serverCores) + Math.ceil(day.databaseCores)),
  diskGb: (day.votes * MONTH_DAYS * costs.postgres.bytesPerVote) / 1e9,
  trafficGb: (day.trafficBytes * MONTH_DAYS) / 1e9,
})

/** Votes that arrive within one minute on one poll, and how long one server stores them. */
export const minuteOf = ({ sqlite, postgres }: Costs, votes: number) => ({
  perSecond: votes / 60,
  sqliteSeconds: Math.max(60, votes / sqlite.hotPerSecond),
  postgresSeconds: Math.max(60, votes / postgres.hotPerSecond),
})

/** Requests a second, where every place of a CDN asks for every variant of a page as soon as its two seconds are over. */
export const mostThroughCdn = (SUPPOSED.cdnPlaces * SUPPOSED.variants) / 2

/** One page read by this many people within some seconds, with and without a CDN that keeps it for two seconds. */
export function readersOf({ readsPerSecond, pageBytes }: Costs, readers: number, seconds: number) {
  const views = readers / seconds
  const throughCdn = Math.min(views, mostThroughCdn)
  return {
    views,
    bitsPerSecond: views * pageBytes * 8,
    shareAlone: views / readsPerSecond,
    throughCdn,
    shareBehindCdn: throughCdn / readsPerSecond,
  }
}

/** Voters who stay on the page: each holds a live stream while its tab is visible. */
export const streamsOf = ({ bytesPerStream }: Costs, streams: number) => ({
  processes: Math.ceil(streams / settings.streams.fallback),
  memoryBytes: streams * bytesPerStream,
})
