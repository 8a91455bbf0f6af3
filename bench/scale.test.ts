import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { figureAt } from './results-table.ts'
import { roundCosts as costs } from './round-costs.ts'
import { dayLoad, firstMonth, minuteOf, readCosts, readersOf, SUPPOSED, streamsOf } from './scale-model.ts'
import { SCALE_TABLES } from './scale-tables.ts'

const results = readFileSync(new URL('RESULTS.md', import.meta.url), 'utf8')

describe('a figure of the results', () => {
  const sample = `<!-- growth -->
## Growth

| sqlite, votes stored | votes/s | on disk |
| -------------------- | ------: | ------: |
| 10,000               |  28,833 |    9 MB |

| postgres, votes stored | votes/s | on disk |
| ---------------------- | ------: | ------: |
| 10,000                 |  21,830 | 1,821 MB |

<!-- memory -->
## Memory
`
  const place = { section: 'growth', table: 'postgres, votes stored', row: '10,000', column: 'on disk' } as const

  test('is found by its section, table, row and column', () => {
    expect(figureAt(sample, place)).toBe(1_821)
    expect(figureAt(sample, { ...place, table: 'sqlite, votes stored', column: 'votes/s' })).toBe(28_833)
  })

  test.each([{ section: 'memory' }, { table: 'redis' }, { row: '1' }, { column: 'p99' }] as const)(
    'is an error where there is none: %o',
    (other) => {
      expect(() => figureAt(sample, { ...place, ...other })).toThrow('bench/RESULTS.md has no figure for')
    },
  )
})

describe('the model of scale', () => {
  test('reads all its costs from the results of the repository', () => {
    const read = readCosts(results)
    const all = [
      read.readsPerSecond,
      read.bytesPerStream,
      read.streamMicroseconds,
      read.pageBytes,
      ...Object.values(read.sqlite),
    ]
    for (const value of [...all, ...Object.values(read.postgres)]) expect(value).toBeGreaterThan(1)
  })

  test('reads what a vote costs Redis where that was measured', () => {
    const table =
      '| votes with limits in Redis | Redis µs | commands |\n| --- | --: | --: |\n| on one poll | 58.9 | 27 |'
    const measured = results.replace(/<!-- scale -->[\s\S]*?\n\n/, (head) => `${head}${table}\n\n`)
    expect(readCosts(measured).redis).toEqual({ microseconds: 58.9, commands: 27 })
    const without = results.replaceAll('| votes with limits in Redis ', '| another table ')
    expect(readCosts(without).redis).toBeNull()
    expect(SCALE_TABLES.measured(costs)).toContain('| commands in Redis a vote ')
    expect(SCALE_TABLES.measured({ ...costs, redis: null })).not.toContain('Redis')
  })

  test('multiplies the peak of a day with what a vote costs', () => {
    const day = dayLoad(costs, 8_640_000)
    expect(SUPPOSED).toMatchObject({ peak: 10, load: 0.5, viewsPerVote: 10 })
    expect(day).toMatchObject({ average: 100, peak: 1_000, shareOfSqlite: 0.1, shareOfPostgres: 0.2, services: 1 })
    expect([day.serverCores, day.databaseCores]).toEqual([0.08, 0.16])
    expect(day.diskDays.sqlite).toBeCloseTo(1157.4, 1)
    expect(day.trafficBytes).toBe(8_640_000 * 10 * 20_000)
    expect(dayLoad(costs, 864_000_000).services).toBe(40)
  })

  test('counts whole cores, a month of disk and a month of traffic', () => {
    const needed = firstMonth(costs, dayLoad(costs, 864_000_000))
    expect(needed).toEqual({ cores: 24, diskGb: 5_184, trafficGb: 5_184_000 })
  })

  test('stores the votes of a minute within it, or as fast as one poll takes them', () => {
    expect(minuteOf(costs, 60_000)).toEqual({ perSecond: 1_000, sqliteSeconds: 60, postgresSeconds: 60 })
    expect(minuteOf(costs, 12_000_000)).toMatchObject({ sqliteSeconds: 600, postgresSeconds: 1_200 })
  })

  test('never sends more requests through a CDN than there are readers', () => {
    expect(readersOf(costs, 1_000_000, 10)).toMatchObject({ views: 100_000, shareAlone: 1, throughCdn: 1_500 })
    expect(readersOf(costs, 1_000, 10)).toMatchObject({ views: 100, throughCdn: 100 })
  })

  test('divides streams among processes by the default of STREAMS', () => {
    expect(streamsOf(costs, 15_001)).toEqual({ processes: 2, memoryBytes: 120_008_000 })
  })

  test('has a row for each size in every table', () => {
    // Simulating the shows takes seconds: `proof/made-shows.proof.ts`.
    const { shows: _, ...quickTables } = SCALE_TABLES
    const tables = Object.values(quickTables).map((table) => table(costs))
    expect(tables).toHaveLength(Object.keys(SCALE_TABLES).length - 1)
    for (const table of tables) expect(table).not.toMatch(/NaN|undefined|Infinity|e[+-]\d/)
    expect(tables.join('\n')).toContain('| 10,000,000,000 |')
  })
})
