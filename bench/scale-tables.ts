import { type Costs, dayLoad, firstMonth, minuteOf, readersOf, SUPPOSED, streamsOf } from './scale-model.ts'
import { days, gigabytes, percent, short, time } from './short-figures.ts'
import { showsTable } from './show-scenarios.ts'
import { count, formatTable } from './table.ts'

const MILLION = 1_000_000
const DAYS = [MILLION, 100 * MILLION, 10_000 * MILLION]
const MINUTES = [10_000, 100_000, MILLION, 10 * MILLION]
const READING = [
  ['an hour', 3_600],
  ['ten minutes', 600],
  ['a minute', 60],
] as const
const STAYING = [10_000, 50_000, 200_000, MILLION]

/** Every table of `docs/guides/scale.md`, by its name there. */
export const SCALE_TABLES = {
  measured: measuredTable,
  supposed: supposedTable,
  days: daysTable,
  month: monthTable,
  minutes: minutesTable,
  shows: showsTable,
  readers: readersTable,
  streams: streamsTable,
} as const satisfies Record<string, (costs: Costs) => string>

export const scaleTables = (costs: Costs): string[] => Object.values(SCALE_TABLES).map((table) => table(costs))

function measuredTable({ sqlite, postgres, redis, readsPerSecond, bytesPerStream, pageBytes }: Costs): string {
  return formatTable(
    ['measured, server on one core', 'SQLite', 'PostgreSQL'],
    [
      ['votes/s on one poll', count(sqlite.hotPerSecond), count(postgres.hotPerSecond)],
      ['votes/s over 100 polls', count(sqlite.spreadPerSecond), count(postgres.spreadPerSecond)],
      ['server µs a vote', short(sqlite.serverMicroseconds), short(postgres.serverMicroseconds)],
      ['database µs a vote', 'in the server', short(postgres.databaseMicroseconds)],
      ...(redis
        ? [
            ['Redis µs a vote, with `REDIS_URL`', short(redis.microseconds), short(redis.microseconds)],
            ['commands in Redis a vote', count(redis.commands), count(redis.commands)],
          ]
        : []),
      ['bytes of disk a vote', short(sqlite.bytesPerVote), short(postgres.bytesPerVote)],
      ['reads/s of a poll', count(readsPerSecond), ''],
      ['bytes of memory a live stream', count(bytesPerStream), ''],
      ['bytes of a hosted page, without pictures', count(pageBytes), ''],
    ],
  )
}

function supposedTable(): string {
  const { peak, load, viewsPerVote, cdnPlaces, variants, staySeconds, rampSeconds, firstMinute } = SUPPOSED
  return formatTable(
    ['assumed', 'value'],
    [
      ['busiest second of a day against its average', `${peak} times`],
      ['part of a core that the peak may use', percent(load)],
      ['page views for each vote', String(viewsPerVote)],
      ['locations of a CDN that each fetch a page for themselves', String(cdnPlaces)],
      ['variants of a page: ten languages, three encodings', String(variants)],
      ['a show: until its votes arrive at their full rate', `${rampSeconds} s`],
      ['a show: part of its votes in the first minute', percent(firstMinute)],
      ['time that a voter keeps the page open', `${staySeconds} s`],
    ],
  )
}

function daysTable(costs: Costs): string {
  return formatTable(
    [
      ...['votes a day', 'votes/s', 'at the peak', 'of one server, SQLite', 'of one server, PostgreSQL'],
      ...['server cores', 'database cores', '1 TB lasts, SQLite', '1 TB lasts, PostgreSQL'],
    ],
    DAYS.map((votes) => {
      const day = dayLoad(costs, votes)
      return [
        count(votes),
        short(day.average),
        short(day.peak),
        percent(day.shareOfSqlite),
        percent(day.shareOfPostgres),
        short(day.serverCores),
        short(day.databaseCores),
        days(day.diskDays.sqlite),
        days(day.diskDays.postgres),
      ]
    }),
  )
}

function monthTable(costs: Costs): string {
  return formatTable(
    ['votes a day', 'cores', 'disk, first month', 'traffic of pages', 'services that divide it'],
    DAYS.map((votes) => {
      const day = dayLoad(costs, votes)
      const { cores, diskGb, trafficGb } = firstMonth(costs, day)
      return [count(votes), count(cores), `${short(diskGb)} GB`, `${short(trafficGb)} GB`, count(day.services)]
    }),
  )
}

function minutesTable(costs: Costs): string {
  return formatTable(
    ['votes on one poll in a minute', 'votes/s', 'stored within, SQLite', 'PostgreSQL'],
    MINUTES.map((votes) => {
      const { perSecond, sqliteSeconds, postgresSeconds } = minuteOf(costs, votes)
      return [count(votes), short(perSecond), time(sqliteSeconds), time(postgresSeconds)]
    }),
  )
}

function readersTable(costs: Costs): string {
  return formatTable(
    [
      ...['a million readers within', 'page views/s', 'Gbit/s', 'of one server, no CDN'],
      ...['requests/s behind a CDN, at most', 'of one server'],
    ],
    READING.map(([name, seconds]) => {
      const { views, bitsPerSecond, shareAlone, throughCdn, shareBehindCdn } = readersOf(costs, MILLION, seconds)
      return [
        name,
        short(views),
        short(bitsPerSecond / 1e9),
        percent(shareAlone),
        short(throughCdn),
        percent(shareBehindCdn),
      ]
    }),
  )
}

function streamsTable(costs: Costs): string {
  return formatTable(
    ['voters who stay on the page', 'processes', 'memory of their streams'],
    STAYING.map((streams) => {
      const { processes, memoryBytes } = streamsOf(costs, streams)
      return [count(streams), count(processes), gigabytes(memoryBytes)]
    }),
  )
}
