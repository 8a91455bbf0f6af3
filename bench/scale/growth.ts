import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../../server/test/child-service.ts'
import { withClient } from '../../server/test/with-client.ts'
import type { BenchArguments, EngineName } from '../arguments.ts'
import { Progress } from '../progress.ts'
import { isRightSample, type Sample, takeSample } from '../sample.ts'
import { median, medianRatio } from '../statistics.ts'
import { count, formatTable, megabytes, milliseconds, ratio } from '../table.ts'
import { chooseEngines } from '../workloads/choose-engines.ts'
import type { Report } from '../workloads/measure-workloads.ts'
import { fill, hotVotes, spreadVotes, startTossup, type TossupSubject } from '../workloads/subjects.ts'
import { type Target, targetTable } from '../workloads/targets.ts'

const SIZES = [10_000, 1_000_000, 10_000_000]
/** A round of votes would grow a database this small measurably, so each round starts from a new one. */
const SMALL = 100_000
const WARM_UP_VOTES = 10_000
/** A server on SQLite learns many stored votes while the first ones come in. */
const WARM_UP_VOTES_OF_LARGE = 100_000
const WARM_UP_SECONDS = 10

const LOADS = { 'one poll': [hotVotes], '100 polls': spreadVotes } as const
type LoadName = keyof typeof LOADS
const NAMES = Object.keys(LOADS) as LoadName[]

interface Grown {
  readonly size: number
  readonly samples: Record<LoadName, Sample[]>
  fileBytes: number
  /** Null for a small database, which each round makes again. */
  subject: TossupSubject | null
}

/** Votes on one poll and over 100 polls with few and with many votes stored. */
export async function measureGrowth(given: BenchArguments): Promise<Report> {
  const sizes = SIZES.filter((size) => size <= given.most)
  if (given.most < 10_000_000) process.stdout.write('10 million takes longer and more disk: --most 10000000\n')
  const engines = await chooseEngines(given.engine)
  const filled = sizes.map((size) => (size < SMALL ? size * given.rounds : size)).reduce((sum, size) => sum + size, 0)
  const progress = new Progress(filled * engines.length)
  const parts: string[] = []
  const targets: Target[] = []
  let isRight = true
  for (const engine of engines) {
    const grown = await growEngine({ engine, sizes, given, progress })
    parts.push(tableOf(engine, grown))
    targets.push(...targetsOf(engine, grown))
    isRight &&= grown.every(({ samples }) => Object.values(samples).flat().every(isRightSample))
  }
  progress.end()
  if (targets.length > 0) parts.push(targetTable(targets))
  return { text: parts.join('\n\n'), isRight }
}

interface EngineRun {
  readonly engine: EngineName
  readonly sizes: readonly number[]
  readonly given: BenchArguments
  readonly progress: Progress
}

async function growEngine(run: EngineRun): Promise<Grown[]> {
  const grown = run.sizes.map(
    (size): Grown => ({ size, samples: { 'one poll': [], '100 polls': [] }, fileBytes: 0, subject: null }),
  )
  for (const one of grown) if (one.size >= SMALL) one.subject = await filledTossup(run, one)
  for (let round = 0; round < run.given.rounds; round++) {
    for (const one of round % 2 === 0 ? grown : grown.toReversed()) await measureRound(run, one)
  }
  return grown
}

/** Each round starts a new process on the data, so that no subject is warmed up more than another. */
async function measureRound(run: EngineRun, one: Grown): Promise<void> {
  const stopped = one.subject ?? (await filledTossup(run, one))
  const subject = await stopped.restart()
  const most = one.size < SMALL ? WARM_UP_VOTES : WARM_UP_VOTES_OF_LARGE
  for (const name of NAMES) {
    const plan = { reads: 0, votes: 1, votePaths: LOADS[name] }
    await takeSample(subject, { ...plan, most }, WARM_UP_SECONDS)
    one.samples[name].push(await takeSample(subject, plan, run.given.seconds))
  }
  if (one.subject) await subject.pause()
  else await subject.stop()
}

/** Filled, then stopped. */
async function filledTossup({ engine, progress }: EngineRun, one: Grown): Promise<TossupSubject> {
  const subject = await startTossup(engine)
  await fill(subject, one.size, (votes) => progress.advance(votes, `${engine}, filling ${count(one.size)}`))
  await subject.pause()
  one.fileBytes = await storedBytes(subject.home)
  return subject
}

async function storedBytes({ dataDir, database }: Home): Promise<number> {
  if (database.engine === 'sqlite') return (await stat(join(dataDir, 'tossup.sqlite'))).size
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes'),
  )
  return Number(rows[0]?.bytes)
}

const speeds = (samples: readonly Sample[]): number[] => samples.map(({ perSecond }) => perSecond)

const mostMemory = ({ samples }: Grown): number =>
  Math.max(...NAMES.flatMap((name) => samples[name].map(({ memory }) => memory ?? Number.NaN)))

function tableOf(engine: EngineName, grown: readonly Grown[]): string {
  const [smallest] = grown
  const head = [
    `${engine}, votes stored`,
    ...NAMES.flatMap((name) => [`votes/s on ${name}`, 'ratio', 'p99 ms', 'CPU µs']),
    ...['memory', 'on disk'],
  ]
  const rows = grown.map((one) => [
    count(one.size),
    ...NAMES.flatMap((name) => {
      const own = one.samples[name]
      const cpu = median(own.map((sample) => sample.cpu ?? Number.NaN))
      return [
        count(median(speeds(own))),
        smallest ? ratio(medianRatio(speeds(own), speeds(smallest.samples[name]))) : '',
        milliseconds(median(own.map(({ p99 }) => p99))),
        Number.isNaN(cpu) ? '' : cpu.toFixed(1),
      ]
    }),
    megabytes(mostMemory(one)),
    megabytes(one.fileBytes),
  ])
  return formatTable(head, rows)
}

/** The memory was set for ten million votes. */
function targetsOf(engine: EngineName, grown: readonly Grown[]): Target[] {
  const largest = grown.find(({ size }) => size === SIZES.at(-1))
  if (!largest || engine !== 'sqlite') return []
  return [
    {
      what: `${engine}: memory with ${count(largest.size)} stored`,
      asked: 400,
      measured: mostMemory(largest) / 1e6,
      isCeiling: true,
      unit: ' MB',
    },
  ]
}
