import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { fillPolls, fillVotes, storedBytes } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { type PageTimes, POLLS_FOR_PAGES, timePages } from './pages.ts'
import { Progress } from './progress.ts'
import { isRightSample, type Sample, takeSample } from './sample.ts'
import { median, medianRatio } from './statistics.ts'
import { hotVotes, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, megabytes, milliseconds, ratio } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const SIZES = [10_000, 1_000_000, 10_000_000]
/** A round of votes would grow a database this small measurably, so each round starts from a new one. */
const SMALL = 100_000
const WARM_UP_VOTES = 10_000
/** A server on SQLite learns many stored votes while the first ones come in. */
const WARM_UP_VOTES_OF_LARGE = 100_000
const WARM_UP_SECONDS = 10

interface Grown {
  readonly size: number
  readonly samples: Sample[]
  pages: PageTimes[]
  fileBytes: number
  subject: TossupSubject | null
}

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
    isRight &&= grown.every(({ samples }) => samples.every(isRightSample))
  }
  progress.end()
  return { text: [...parts, formatTable(targetHead, targets.map(targetRow))].join('\n\n'), isRight }
}

async function chooseEngines(engine: EngineName | null): Promise<EngineName[]> {
  const wanted: readonly EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  if (!wanted.includes('postgres') || (await hasPostgres(ADMIN_URL))) return [...wanted]
  process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
  return wanted.filter((name) => name !== 'postgres')
}

interface EngineRun {
  readonly engine: EngineName
  readonly sizes: readonly number[]
  readonly given: BenchArguments
  readonly progress: Progress
}

async function growEngine(run: EngineRun): Promise<Grown[]> {
  const grown = run.sizes.map((size): Grown => ({ size, samples: [], pages: [], fileBytes: 0, subject: null }))
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
  if (one.pages.length === 0) one.pages = await timePages(subject)
  const plan = { reads: 0, votes: 1, votePaths: [hotVotes] }
  const most = one.size < SMALL ? WARM_UP_VOTES : WARM_UP_VOTES_OF_LARGE
  await takeSample(subject, { ...plan, most }, WARM_UP_SECONDS)
  one.samples.push(await takeSample(subject, plan, run.given.seconds))
  if (one.size < SMALL) await subject.stop()
  else await subject.pause()
}

/** Filled, then stopped. */
async function filledTossup({ engine, progress }: EngineRun, one: Grown): Promise<TossupSubject> {
  const subject = await startTossup(engine)
  await subject.pause()
  await fillVotes(subject.home, one.size, (votes) => progress.advance(votes, `${engine}, filling ${count(one.size)}`))
  await fillPolls(subject.home, POLLS_FOR_PAGES)
  one.fileBytes = await storedBytes(subject.home)
  return subject
}

const speeds = ({ samples }: Grown): number[] => samples.map((sample) => sample.perSecond)

function tableOf(engine: EngineName, grown: readonly Grown[]): string {
  const [smallest] = grown
  const lists = smallest?.pages.map(({ list }) => list) ?? []
  const head = [
    `${engine}, votes stored`,
    ...['votes/s', 'ratio', 'p99 ms', 'CPU µs', 'memory', 'on disk'],
    ...lists.flatMap((list) => [`${list}: 1st ms`, '2nd', '500th', '500th/1st', '500th/2nd']),
  ]
  const rows = grown.map((one) => {
    const { samples } = one
    const cpu = median(samples.map((sample) => sample.cpu ?? Number.NaN))
    const memory = samples.at(-1)?.memory ?? null
    return [
      count(one.size),
      count(median(speeds(one))),
      smallest ? ratio(medianRatio(speeds(one), speeds(smallest))) : '',
      milliseconds(median(samples.map((sample) => sample.p99))),
      Number.isNaN(cpu) ? '' : cpu.toFixed(1),
      memory === null ? '' : megabytes(memory),
      megabytes(one.fileBytes),
      ...one.pages.flatMap(({ first, second, deep }) => [
        ...[first, second, deep].map(milliseconds),
        ratio(deep / first),
        ratio(deep / second),
      ]),
    ]
  })
  return formatTable(head, rows)
}

function targetsOf(engine: EngineName, grown: readonly Grown[]): Target[] {
  const [smallest] = grown
  const largest = grown.at(-1)
  if (!smallest || !largest || smallest === largest) return []
  const speed: Target = {
    what: `${engine}: votes/s with ${count(largest.size)} stored against ${count(smallest.size)}`,
    least: 0.9,
    aim: 1,
    measured: medianRatio(speeds(largest), speeds(smallest)),
  }
  const delay: Target = {
    what: `${engine}: p99 of votes with ${count(largest.size)} stored`,
    least: 20,
    measured: median(largest.samples.map((sample) => sample.p99)),
    isCeiling: true,
    unit: ' ms',
  }
  const pages = largest.pages.map(
    ({ list, second, deep }): Target => ({
      what: `${engine}: 500th page of ${list} against the second, ${count(largest.size)} stored`,
      least: 1.2,
      measured: deep / second,
      isCeiling: true,
    }),
  )
  return [speed, delay, ...pages]
}
