import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchArguments, defaultMost, type EngineName, UsageError } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { Progress } from '../progress.ts'
import { checksOf, isRightSample, type Sample, takeSample } from '../sample.ts'
import { costsOf, median, medianRatio } from '../statistics.ts'
import { count, formatTable, megabytes, milliseconds, ratio } from '../table.ts'
import type { Report } from './measure-workloads.ts'
import { fill, startTossup, type TossupSubject } from './subjects.ts'
import { chooseWorkloads, type Workload } from './workloads.ts'

const FEW = defaultMost('against')
/** Long enough for a server on SQLite to learn many stored votes. */
const WARM_UP_SECONDS = 5

interface Pair {
  readonly theirs: TossupSubject
  readonly ours: TossupSubject
}

type Samples = { readonly [Side in keyof Pair]: Sample[] }

/** Another commit and these sources in turn, each with a database of its own. */
export async function measureAgainst(given: BenchArguments): Promise<Report> {
  const chosen = chooseWorkloads(given.only)
  const { program, commit } = await checkOut(given.against)
  const sizes = given.most > FEW ? [FEW, given.most] : [given.most]
  const progress = new Progress(2 * sizes.reduce((sum, size) => sum + size, 0))
  const rows: string[][] = []
  const all: Sample[] = []
  for (const size of sizes) {
    const stored = `${count(size)} stored`
    const start = async (of: readonly string[] | null): Promise<TossupSubject> =>
      filledTossup(given.engine ?? 'sqlite', of, { votes: size, onStored: (votes) => progress.advance(votes, stored) })
    const pair = { theirs: await start(program), ours: await start(null) }
    for (const workload of chosen) {
      // Reads are answered from memory, however many votes are stored.
      if (size !== sizes[0] && !isVoting(workload)) continue
      const samples = await measurePair(pair, workload, given)
      rows.push(rowOf(`${workload.title}, from ${stored}`, samples))
      all.push(...samples.theirs, ...samples.ours)
    }
    await pair.theirs.stop()
    await pair.ours.stop()
  }
  progress.end()
  return { text: `${formatTable(headFor(commit), rows)}\n\n${LEGEND}`, isRight: all.every(isRightSample) }
}

const isVoting = ({ name }: Workload): boolean => name === 'hot' || name === 'spread'

/** The command of another commit, in a worktree of its own with its own packages. */
async function checkOut(revision: string): Promise<{ program: string[]; commit: string }> {
  const found = Bun.spawnSync(['git', 'rev-parse', '--verify', '--short', `${revision}^{commit}`])
  if (!found.success) throw new UsageError(`--against takes a commit of this repository, not ${revision}.`)
  const commit = found.stdout.toString().trim()
  const folder = await mkdtemp(join(tmpdir(), 'tossup-against-'))
  await run(['git', 'worktree', 'add', '--quiet', '--detach', folder, commit], process.cwd())
  atEnd(() => run(['git', 'worktree', 'remove', '--force', folder], process.cwd()))
  process.stderr.write(`installing the packages of ${commit}\n`)
  await run(['npm', 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  const bun = [join(folder, 'node_modules/.bin/bun'), '--no-env-file', '--no-install', '--no-orphans']
  return { program: [...bun, join(folder, 'server/src/main.ts')], commit }
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

interface Filling {
  readonly votes: number
  readonly onStored: (votes: number) => void
}

/** A new process on the filled database, so that its memory is not that of the filling. */
async function filledTossup(
  engine: EngineName,
  program: readonly string[] | null,
  { votes, onStored }: Filling,
): Promise<TossupSubject> {
  const filled = await startTossup(engine, program)
  await fill(filled, votes, onStored)
  await filled.pause()
  const subject = await filled.restart()
  atEnd(() => subject.stop())
  return subject
}

async function measurePair(pair: Pair, workload: Workload, given: BenchArguments): Promise<Samples> {
  const { rounds, seconds, isQuick } = given
  const take = async (side: keyof Pair, length: number) =>
    takeSample(pair[side], await workload.plan(pair[side]), length)
  if (!isQuick) for (const side of ['theirs', 'ours'] as const) await take(side, WARM_UP_SECONDS)
  const samples: Samples = { theirs: [], ours: [] }
  for (let round = 0; round < rounds; round++) {
    for (const side of ['theirs', 'ours', 'ours', 'theirs'] as const) samples[side].push(await take(side, seconds))
  }
  return samples
}

const headFor = (commit: string): string[] => [
  `against ${commit}`,
  ...['by CPU', 'CPU µs then', 'now', 'requests/s then', 'now', 'p99 ms then', 'now', 'memory then', 'now', 'votes'],
]

function rowOf(title: string, { theirs, ours }: Samples): string[] {
  const both = (show: (samples: readonly Sample[]) => string) => [show(theirs), show(ours)]
  return [
    title,
    ratio(medianRatio(costsOf(theirs), costsOf(ours))),
    ...both((samples) => median(costsOf(samples)).toFixed(1)),
    ...both((samples) => count(median(samples.map(({ perSecond }) => perSecond)))),
    ...both((samples) => milliseconds(median(samples.map(({ p99 }) => p99)))),
    ...both((samples) => megabytes(Math.max(...samples.map(({ memory }) => memory ?? Number.NaN)))),
    checksOf([...theirs, ...ours]),
  ]
}

const LEGEND = `Both servers share one core, and each round measures the other commit, this one, this one and the other one. "by CPU" is the median of
the rounds: the other commit's processor time for a request against ours in the same round, so above 1 this one needs less. Votes are compared with the tallies.`
