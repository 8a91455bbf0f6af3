import pg from 'pg'
import { createHome } from '../server/test/child-service.ts'
import { CITUS_URL } from '../server/test/citus-database.ts'
import { type BenchArguments, UsageError } from './arguments.ts'
import type { Report } from './measure-workloads.ts'
import { treeMicroseconds } from './processes.ts'
import { Progress } from './progress.ts'
import { checksOf, isRightSample, type Sample, takeSample } from './sample.ts'
import { median, medianRatio } from './statistics.ts'
import { startTossupAt, type TossupSubject, VOTE_LOADS } from './subjects.ts'
import { count, formatTable, ratio } from './table.ts'

const WARM_UP_SECONDS = 1

interface CitusSample {
  readonly sample: Sample
  /** Processor time of all database servers for each vote. */
  readonly database: number
}

/** The same votes in turn in a database of the coordinator that is not distributed, and in one that is. */
export async function measureCitus({ rounds, seconds }: BenchArguments): Promise<Report> {
  if (CITUS_URL === null) throw new UsageError('--citus needs TEST_CITUS_URL, the coordinator of a cluster of Citus.')
  const servers = await serversOf(CITUS_URL)
  const plain = await startTossupAt(await createHome(CITUS_URL, { mustBeEmpty: true }))
  const distributed = await startTossupAt(await createHome(CITUS_URL))
  const progress = new Progress(2 * VOTE_LOADS.length * (WARM_UP_SECONDS + rounds * seconds))
  const rows: string[][] = []
  const all: Sample[] = []
  for (const { title, votePaths } of VOTE_LOADS) {
    const run = async (subject: TossupSubject, length: number): Promise<CitusSample> => {
      progress.advance(0, title)
      const before = treeMicroseconds(servers)
      const sample = await takeSample(subject, { reads: 0, votes: 1, votePaths }, length)
      const spent = treeMicroseconds(servers) - before
      progress.advance(length, title)
      return { sample, database: spent / (sample.perSecond * length) }
    }
    for (const subject of [plain, distributed]) await run(subject, WARM_UP_SECONDS)
    const before: CitusSample[] = []
    const after: CitusSample[] = []
    for (let round = 0; round < rounds; round++) {
      before.push(await run(plain, seconds))
      after.push(await run(distributed, seconds))
    }
    rows.push(rowOf(`${title}, one PostgreSQL`, before, before), rowOf(`${title}, distributed`, after, before))
    all.push(...[...before, ...after].map(({ sample }) => sample))
  }
  progress.end()
  for (const subject of [plain, distributed]) await subject.stop()
  return { text: `${formatTable(HEAD, rows)}\n\n${LEGEND}`, isRight: all.every(isRightSample) }
}

const HEAD = ['votes', 'votes/s', 'ratio', 'server µs', 'database µs', 'ratio of µs', 'checked']

const LEGEND = `"one PostgreSQL" is a database of the coordinator that is not distributed. "database µs" is the processor time of all database
servers of the cluster for each vote, with what they write and tidy in the background. Coordinator and workers share the machine, so the workers add no power here.`

function rowOf(name: string, samples: readonly CitusSample[], yardstick: readonly CitusSample[]): string[] {
  const speeds = (of: readonly CitusSample[]) => of.map(({ sample }) => sample.perSecond)
  const costs = (of: readonly CitusSample[]) => of.map(({ database }) => database)
  return [
    name,
    count(median(speeds(samples))),
    ratio(medianRatio(speeds(samples), speeds(yardstick))),
    median(samples.map(({ sample }) => sample.cpu ?? Number.NaN)).toFixed(1),
    median(costs(samples)).toFixed(1),
    ratio(medianRatio(costs(samples), costs(yardstick))),
    checksOf(samples.map(({ sample }) => sample)),
  ]
}

/** The first processes of the coordinator and its workers, which have to run on this machine. */
async function serversOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid
     union all select result::int from run_command_on_workers($$select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)$$)`,
  )
  await client.end()
  return rows.map(({ pid }) => pid)
}
