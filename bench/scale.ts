import { readFileSync } from 'node:fs'
import { ADMIN_URL } from '../server/test/own-database.ts'
import { hasRedis } from '../server/test/own-redis.ts'
import type { BenchArguments } from './arguments.ts'
import { DatabaseTime } from './database-time.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { measureRedis } from './redis-costs.ts'
import { withSection } from './results-file.ts'
import { checksOf, isRightSample, type Sample, takeCommonSample } from './sample.ts'
import { readCosts } from './scale-model.ts'
import { scaleTables } from './scale-tables.ts'
import { median } from './statistics.ts'
import { startTossup, VOTE_LOADS } from './subjects.ts'
import { count, formatTable } from './table.ts'

const WARM_UP_SECONDS = 1

interface CostSample {
  readonly sample: Sample
  /** Processor time of the database's backends for each vote. */
  readonly database: number
}

/** Measures what a vote costs PostgreSQL and Redis themselves, which no other run does, and prints the model of `docs/guides/scale.md` with it. */
export async function measureScale(given: BenchArguments): Promise<Report> {
  const { rounds, seconds } = given
  if (!(await hasPostgres(ADMIN_URL))) throw new Error('PostgreSQL does not answer')
  const subject = await startTossup('postgres')
  const { database } = subject.home
  if (database.engine !== 'postgres') throw new Error('the subject is not on PostgreSQL')
  const time = await DatabaseTime.open(database.url)
  const progress = new Progress(VOTE_LOADS.length * (WARM_UP_SECONDS + rounds * seconds))
  const measured: CostSample[][] = []
  for (const { title, votePaths } of VOTE_LOADS) {
    const run = async (length: number): Promise<CostSample> => {
      progress.advance(0, title)
      const plan = { reads: 0, votes: 1, votePaths }
      const sample = await takeCommonSample([subject], { plan, seconds: length, metered: (load) => time.during(load) })
      progress.advance(length, title)
      return { sample, database: time.microseconds / (sample.perSecond * length) }
    }
    await run(WARM_UP_SECONDS)
    const samples: CostSample[] = []
    for (let round = 0; round < rounds; round++) samples.push(await run(seconds))
    measured.push(samples)
  }
  progress.end()
  await time.close()
  await subject.stop()
  const redis = hasRedis ? await measureRedis(given) : null
  if (!redis) process.stdout.write('There is no redis-server: what a vote costs Redis is not measured\n')
  const text = [tableOf(measured), ...(redis ? [redis.table] : [])].join('\n\n')
  process.stdout.write(`${scaleTables(readCosts(withSection(earlierResults(), 'scale', text))).join('\n\n')}\n\n`)
  return {
    text: `${text}\n\n${LEGEND}`,
    isRight: (redis?.isRight ?? true) && measured.flat().every(({ sample }) => isRightSample(sample)),
    isWhole: redis !== null,
  }
}

const earlierResults = (): string => readFileSync(new URL('RESULTS.md', import.meta.url), 'utf8')

const LEGEND = `"database µs" is the processor time of all backends of this database for each vote, "server µs" that of the process of
Tossup. What PostgreSQL writes and tidies in the background is not in it. "Redis µs" is the processor time of Redis for each vote from an IPv4 address, with
the limits that a server has by default, too high to be reached; "commands" counts those inside of its script. [Scale](../docs/guides/scale.md) goes on from here.`

function tableOf(measured: readonly (readonly CostSample[])[]): string {
  const head = ['votes on PostgreSQL', 'votes/s', 'server µs', 'database µs', 'votes']
  const rows = VOTE_LOADS.map(({ title }, i) => {
    const samples = measured[i] ?? []
    const middle = (pick: (one: CostSample) => number) => median(samples.map(pick))
    return [
      title,
      count(middle(({ sample }) => sample.perSecond)),
      middle(({ sample }) => sample.cpu ?? Number.NaN).toFixed(1),
      middle(({ database }) => database).toFixed(1),
      checksOf(samples.map(({ sample }) => sample)),
    ]
  })
  return formatTable(head, rows)
}
