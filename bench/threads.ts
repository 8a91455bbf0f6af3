import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchArguments } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import type { Report } from './measure-workloads.ts'
import { mainThreadMicroseconds } from './processes.ts'
import { Progress } from './progress.ts'
import { checksOf, isRightSample, type Sample, takeSample } from './sample.ts'
import { median, medianRatio } from './statistics.ts'
import { hotVotes, type Subject, startPeer } from './subjects.ts'
import { count, formatTable, milliseconds, ratio } from './table.ts'

const THREADS = [0, 1, 2]
const WARM_UP_SECONDS = 1

interface Measured {
  readonly threads: number
  readonly subject: Subject
  readonly samples: Sample[]
  /** Of the thread that stores, for each vote in microseconds. */
  readonly storing: number[]
}

/** Whether requests that are parsed on other threads, and handed to the one that stores votes, would pay off on SQLite. */
export async function measureThreads({ rounds, seconds }: BenchArguments): Promise<Report> {
  const all: Measured[] = []
  for (const threads of THREADS) all.push({ threads, subject: await startServer(threads), samples: [], storing: [] })
  const progress = new Progress(rounds * all.length)
  for (const one of all) await takeSample(one.subject, onePoll, WARM_UP_SECONDS)
  for (let round = 0; round < rounds; round++) {
    for (const one of round % 2 === 0 ? all : all.toReversed()) {
      await measureOnce(one, seconds)
      progress.advance(1, titleOf(one))
    }
  }
  progress.end()
  return { text: tableOf(all), isRight: all.every(({ samples }) => samples.every(isRightSample)) }
}

const onePoll = { reads: 0, votes: 1, votePaths: [hotVotes] }

async function measureOnce({ subject, samples, storing }: Measured, seconds: number): Promise<void> {
  const before = mainThreadMicroseconds(subject.pid)
  const sample = await takeSample(subject, onePoll, seconds)
  const after = mainThreadMicroseconds(subject.pid)
  samples.push(sample)
  storing.push(before === null || after === null ? Number.NaN : (after - before) / (sample.votes?.acknowledged ?? 0))
}

async function startServer(threads: number): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'tossup-bench-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'votes.sqlite')
  // Its threads need more than the one core that other servers are given.
  const peer = await startPeer('vote-threads.ts', [path, String(threads)], { before: [] })
  atEnd(() => peer.stop())
  return { ...peer, name: 'votes parsed on threads', etag: async () => '', stored: async () => storedAt(path) }
}

function storedAt(path: string): { rows: number; tallies: number } {
  const file = new Database(path, { readonly: true, strict: true })
  try {
    const sql = 'select (select count(*) from votes) as rows, (select sum(votes) from tallies) as tallies'
    return file.query<{ rows: number; tallies: number }, []>(sql).get() ?? { rows: 0, tallies: 0 }
  } finally {
    file.close()
  }
}

const titleOf = ({ threads }: Measured): string =>
  threads === 0 ? 'one thread for everything' : `${threads} more for requests`

function tableOf(all: readonly Measured[]): string {
  const [alone] = all
  const speeds = ({ samples }: Measured) => samples.map(({ perSecond }) => perSecond)
  const cpus = ({ samples }: Measured) => samples.map(({ cpu }) => cpu ?? Number.NaN)
  const shown = (values: readonly number[]) => median(values).toFixed(1)
  const rows = all.map((one) => [
    titleOf(one),
    count(median(speeds(one))),
    alone ? ratio(medianRatio(speeds(one), speeds(alone))) : '',
    shown(cpus(one)),
    alone ? ratio(medianRatio(cpus(one), cpus(alone))) : '',
    shown(one.storing),
    alone ? ratio(medianRatio(one.storing, alone.storing)) : '',
    milliseconds(median(one.samples.map(({ p99 }) => p99))),
    checksOf(one.samples),
  ])
  const head = ['threads', 'votes/s', 'ratio', 'CPU µs', 'ratio', 'storing thread, µs', 'ratio', 'p99 ms', 'votes']
  return formatTable(head, rows)
}
