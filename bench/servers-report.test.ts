import { expect, test } from 'bun:test'
import { COUNTS, type FleetSample, hadRoom, type Measured, reportOfServers } from './servers-report.ts'
import { serversTable } from './servers-table.ts'

interface Given {
  readonly perSecond: number
  readonly cpu?: number
  readonly database?: number
  readonly machine?: number
}

const sampleOf = ({ perSecond, cpu = 50, database = 60, machine = 0.5 }: Given): FleetSample => ({
  sample: { perSecond, cpu, p50: 25, p99: 30, memory: null, votes: null, failed: 0 },
  database,
  machine,
})

/** One round for one, two and three servers. */
const byCount = (given: readonly [Given, Given, Given]) =>
  new Map(COUNTS.map((count) => [count, [sampleOf(given[count - 1] as Given)]]))

const good: Measured = new Map([
  ['hot', byCount([{ perSecond: 1_000 }, { perSecond: 1_500 }, { perSecond: 1_900, database: 72 }])],
  ['spread', byCount([{ perSecond: 1_000 }, { perSecond: 1_600 }, { perSecond: 2_500 }])],
  [
    'reads',
    byCount([
      { perSecond: 9_000, cpu: 10 },
      { perSecond: 8_000, cpu: 11 },
      { perSecond: 7_000, cpu: 12 },
    ]),
  ],
] as const)

const verdicts = (measured: Measured) =>
  [...reportOfServers(measured, 20).matchAll(/^\| (.*?) +\| +(?:at \w+ [\d.]+) \| +(\S*) \| +(.*?) \|$/gm)].map(
    ([, what, value, verdict]) => [what, value, verdict],
  )

test('more servers are compared with one: votes by their rate, reads by processor time', () => {
  expect(verdicts(good)).toEqual([
    ['votes on one poll, 2 servers, against one', '1.50', 'reached'],
    ['votes on one poll, 3 servers, against one', '1.90', 'reached'],
    ['votes over 100 polls, 2 servers, against one', '1.60', 'reached'],
    ['votes over 100 polls, 3 servers, against one', '2.50', 'reached'],
    ['votes/s of several servers against one, in the worst round', '1.50', 'reached'],
    ['reads of a poll, 2 servers, against one, by processor time', '1.82', 'reached'],
    ['reads of a poll, 3 servers, against one, by processor time', '2.50', 'reached'],
    ['database µs of votes on one poll, 3 servers, against one', '1.20', 'reached'],
    ['database µs of votes over 100 polls, 3 servers, against one', '1.00', 'reached'],
  ])
})

test('one bad round is in the results, and what was not measured says so', () => {
  const hot = new Map(byCount([{ perSecond: 1_000 }, { perSecond: 2_000 }, { perSecond: 3_000 }]))
  for (const count of COUNTS) hot.get(count)?.push(sampleOf({ perSecond: count === 2 ? 900 : 1_000 * count }))
  const found = verdicts(new Map([['hot', hot]]))
  expect(found).toContainEqual(['votes/s of several servers against one, in the worst round', '0.90', 'missed by 10 %'])
  expect(found).toContainEqual(['votes over 100 polls, 2 servers, against one', '', 'not measured'])
})

test('votes on a busy machine are no result', () => {
  expect(hadRoom(good)).toBe(true)
  const hot = byCount([{ perSecond: 1_000 }, { perSecond: 1_500 }, { perSecond: 1_900, machine: 0.9 }])
  expect(hadRoom(new Map([...good, ['hot', hot]]))).toBe(false)
  // Reads use all that there is.
  const reads = byCount([
    { perSecond: 1, machine: 1 },
    { perSecond: 1, machine: 1 },
    { perSecond: 1, machine: 1 },
  ])
  expect(hadRoom(new Map([...good, ['reads', reads]]))).toBe(true)
})

test('the guide takes its table from the results', () => {
  const results = `<!-- servers -->\n## Several servers on one PostgreSQL\n\n${reportOfServers(good, 20)}\n`
  expect(serversTable(results)).toBe(`| against one server                        |    2 |    3 |
| ----------------------------------------- | ---: | ---: |
| votes/s on one poll                       | 1.50 | 1.90 |
| votes/s over 100 polls                    | 1.60 | 2.50 |
| reads/s of a poll, each server on a core  | 1.82 | 2.50 |
| database µs for each vote on one poll     | 1.00 | 1.20 |
| database µs for each vote, over 100 polls | 1.00 | 1.00 |`)
  expect(serversTable('')).toBe('Not measured yet: `npm run bench -- --servers` does.')
})
