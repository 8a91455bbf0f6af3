import { OwnerClient } from '../server/test/child-service.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { fillPolls, fillVotes } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { timeUrls } from './pages.ts'
import { Progress } from './progress.ts'
import { startTossup } from './subjects.ts'
import { count, formatTable, milliseconds } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const POLLS = 10_000
const LOOK_EVERY_MS = 100

const REQUESTS = [
  ['summary', 'summary'],
  ['summary of a year', 'summary?days=366&tz=Europe/Berlin'],
  ['polls by votes', 'polls?order=popular'],
  ['polls by title', 'polls?order=title'],
  ['search, found', 'polls?q=coffee'],
  ['search, nothing', 'polls?q=nobody+asked'],
] as const

interface Measured {
  readonly engine: EngineName
  /** In milliseconds, in the order of `REQUESTS`. */
  readonly times: readonly number[]
  readonly isRight: boolean
}

/** What a console asks for of a brand with 10,000 polls and many votes. */
export async function measureSummary({ engine, most }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const progress = new Progress(engines.length * most)
  const measured: Measured[] = []
  for (const name of engines) {
    if (name === 'postgres' && !(await hasPostgres(ADMIN_URL)))
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
    else measured.push(await measureEngine(name, { votes: most, progress }))
  }
  progress.end()
  const head = [`${count(POLLS)} polls, ${count(most)} votes; ms`, ...REQUESTS.map(([name]) => name)]
  const rows = measured.map(({ engine: name, times }) => [name, ...times.map(milliseconds)])
  const targets = formatTable(targetHead, measured.flatMap(targetsOf).map(targetRow))
  return { text: `${formatTable(head, rows)}\n\n${targets}`, isRight: measured.every(({ isRight }) => isRight) }
}

const targetsOf = ({ engine, times: [month = 0, year = 0] }: Measured): Target[] => [
  { what: `${engine}: the summary`, least: 5, measured: month, isCeiling: true, unit: ' ms' },
  { what: `${engine}: the summary of a year`, least: 5, measured: year, isCeiling: true, unit: ' ms' },
]

async function measureEngine(
  engine: EngineName,
  { votes, progress }: { votes: number; progress: Progress },
): Promise<Measured> {
  const made = await startTossup(engine)
  await made.pause()
  await fillPolls(made.home, POLLS)
  await fillVotes(made.home, votes, (stored) => progress.advance(stored, `${engine}, filling ${count(votes)}`))
  const subject = await made.restart()
  const client = await OwnerClient.connect(subject.url, subject.owner)
  const read = () => client.read<{ votes: { total: number } }>('brands/me/summary')
  let total = -1
  for (let before = -2; total < votes && total !== before; ) {
    before = total
    // The counts of a brand follow its votes in the background: so many at once take a while.
    for (let looks = 0; looks < 100 && total === before; looks++) {
      await Bun.sleep(LOOK_EVERY_MS)
      total = (await read()).votes.total
    }
  }
  const urls = REQUESTS.map(([, path]) => `${subject.url}/api/rest/v1/brands/me/${path}`)
  const times = await timeUrls(urls, client.headers)
  await subject.stop()
  return { engine, times, isRight: total === votes }
}
