import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnTossup } from '../server/test/command.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { fillVotes } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import { type LoadResult, runLoad } from './load.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { hotVotes, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, megabytes, ratio } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const LONGEST_SECONDS = 3_600

interface Round {
  readonly alone: LoadResult
  readonly meanwhile: LoadResult
  readonly backup: Backup
}

interface Backup {
  readonly bytes: number
  readonly seconds: number
  /** The votes that the manifest counts. */
  readonly votes: number
}

interface Measured {
  readonly engine: EngineName
  readonly rounds: readonly Round[]
  readonly isRight: boolean
}

/** Measures how fast `tossup backup` writes while votes come in, and what it costs them. */
export async function measureBackup({ engine, most, rounds, seconds }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const progress = new Progress(engines.length * most)
  const measured: Measured[] = []
  for (const name of engines) {
    if (name === 'postgres' && !(await hasPostgres(ADMIN_URL)))
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
    else measured.push(await measureEngine(name, { most, rounds, seconds, progress }))
  }
  progress.end()
  const head = ['', 'votes', 'bytes', 'seconds', 'MB/s', 'votes/s alone', 'meanwhile', 'ratio', 'exact']
  const rows = measured.map(({ engine: name, rounds: all, isRight }) => {
    const { alone, meanwhile, backup } = middleOf(all)
    return [
      name,
      ...[count(backup.votes), megabytes(backup.bytes), backup.seconds.toFixed(1), count(speedOf(backup))],
      ...[count(paceOf(alone)), count(paceOf(meanwhile)), ratio(medianOf(all.map(ratioOf))), isRight ? 'yes' : 'NO'],
    ]
  })
  const targets = formatTable(targetHead, measured.flatMap(targetsOf).map(targetRow))
  return { text: `${formatTable(head, rows)}\n\n${targets}`, isRight: measured.every(({ isRight }) => isRight) }
}

const paceOf = ({ requests, refused, seconds }: LoadResult): number => (requests - refused) / seconds
const speedOf = ({ bytes, seconds }: Backup): number => bytes / 1e6 / seconds
/** Not a number where a stalled machine answered no vote at all. */
const ratioOf = ({ alone, meanwhile }: Round): number => paceOf(meanwhile) / (paceOf(alone) || Number.NaN)

const medianOf = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

/** The round with the median speed of the backup. */
const middleOf = (rounds: readonly Round[]): Round =>
  rounds.toSorted((left, right) => speedOf(left.backup) - speedOf(right.backup))[Math.floor(rounds.length / 2)] as Round

const targetsOf = ({ engine, rounds }: Measured): Target[] => [
  {
    what: `${engine}: speed of the backup while votes come in`,
    least: 100,
    measured: medianOf(rounds.map(({ backup }) => speedOf(backup))),
    unit: ' MB/s',
  },
  { what: `${engine}: votes/s meanwhile against votes/s alone`, least: 0.8, measured: medianOf(rounds.map(ratioOf)) },
]

interface Wanted {
  readonly most: number
  readonly rounds: number
  readonly seconds: number
  readonly progress: Progress
}

async function measureEngine(engine: EngineName, { most, rounds, seconds, progress }: Wanted): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'tossup-bench-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const made = await startTossup(engine)
  await made.pause()
  await fillVotes(made.home, most, (votes) => progress.advance(votes, `${engine}, filling ${count(most)}`))
  const subject = await made.restart()
  atEnd(() => subject.stop())
  const done: Round[] = []
  let [acknowledged, isRight] = [most, true]
  for (let round = 0; round < rounds; round++) {
    const plan = { reads: 0, votes: 1, votePaths: [hotVotes] }
    const alone = await runLoad({ url: subject.url, plan, seconds })
    acknowledged += votesOf(alone)
    const file = join(folder, `${round}.tar`)
    const backing = backUp(subject, file)
    const meanwhile = await runLoad({ url: subject.url, plan, seconds: LONGEST_SECONDS, until: backing })
    const backup = await backing
    // Every vote from before the backup began is in it.
    isRight &&= backup.votes >= acknowledged && alone.refused === 0 && meanwhile.refused === 0
    acknowledged += votesOf(meanwhile)
    await rm(file)
    done.push({ alone, meanwhile, backup })
  }
  await subject.stop()
  return { engine, rounds: done, isRight }
}

const votesOf = ({ requests, refused }: LoadResult): number => requests - refused

async function backUp({ home }: TossupSubject, file: string): Promise<Backup> {
  const { database, dataDir } = home
  const settings = {
    DATA_DIR: dataDir,
    ...(database.engine === 'postgres'
      ? { DATABASE_URL: database.url, SECRET_KEY: 'a backup copies the data keys wrapped as they are' }
      : {}),
  }
  const startedAt = performance.now()
  const child = spawnTossup(['backup', file, '--json'], settings)
  const [said, complaint, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const seconds = (performance.now() - startedAt) / 1_000
  if (code !== 0) throw new Error(`the backup failed: ${complaint}`)
  const { counts } = JSON.parse(said) as { counts: { votes: number } }
  return { bytes: (await stat(file)).size, seconds, votes: counts.votes }
}
