import type { BenchArguments, EngineName } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { residentBytes } from '../processes.ts'
import { Progress } from '../progress.ts'
import { isRightSample, type Sample, takeSample } from '../sample.ts'
import { median, medianRatio } from '../statistics.ts'
import { count, formatTable, megabytes, ratio } from '../table.ts'
import { chooseEngines } from '../workloads/choose-engines.ts'
import type { Report } from '../workloads/measure-workloads.ts'
import {
  hotStream,
  hotVotes,
  shownTotals,
  spreadStreams,
  startTossup,
  type TossupSubject,
} from '../workloads/subjects.ts'
import { type Target, targetTable } from '../workloads/targets.ts'
import { Crowd, misled } from './crowd.ts'

const LOOK_EVERY_MS = 250
const IDLE_MS = 3_000
/** The last event may be held back until this long after the one before it. */
const SETTLE_MS = 2_000
const LEAVING_MS = 1_500

const layouts = [
  { name: 'all on the poll that is voted on', paths: [hotStream] },
  { name: 'over 100 others', paths: spreadStreams },
] as const
type Layout = (typeof layouts)[number]

interface Heard {
  readonly without: Sample
  readonly with: Sample
  readonly idleBytes: number
  readonly mostBytes: number
  readonly eventsPerSecond: number
  readonly misled: number
}

interface Measured {
  readonly engine: EngineName
  readonly layout: Layout
  readonly heard: Heard[]
  readonly bareBytes: number[]
}

export async function measureListeners(given: BenchArguments): Promise<Report> {
  const engines = await chooseEngines(given.engine)
  const measured: Measured[] = []
  const progress = new Progress(engines.length * given.rounds * layouts.length)
  for (const engine of engines) measured.push(...(await measureEngine(engine, given, progress)))
  progress.end()
  const targets = measured.map((one) => targetOf(one, given.most))
  const isRight = measured.every(({ heard }) =>
    heard.every((one) => one.misled === 0 && isRightSample(one.with) && isRightSample(one.without)),
  )
  return {
    text: `${tableOf(measured, given.most)}\n\n${targetTable(targets)}`,
    isRight,
  }
}

/** Each pair of runs, without listeners and with them, uses a new process. */
async function measureEngine(engine: EngineName, given: BenchArguments, progress: Progress): Promise<Measured[]> {
  const stopped = await startTossup(engine)
  await stopped.pause()
  const measured = layouts.map((layout): Measured => ({ engine, layout, heard: [], bareBytes: [] }))
  for (let round = 0; round < given.rounds; round++) {
    for (const one of round % 2 === 0 ? measured : measured.toReversed()) {
      const subject = await stopped.restart({ STREAMS: String(given.most) })
      atEnd(() => subject.pause())
      one.bareBytes.push(memoryOf(subject))
      one.heard.push(await listenWhileVoting(subject, one.layout, given))
      await subject.pause()
      progress.advance(1, `${engine}, ${count(given.most)} listeners ${one.layout.name}`)
    }
  }
  return measured
}

const memoryOf = ({ pid }: TossupSubject): number => residentBytes(pid) ?? Number.NaN

const votes = { reads: 0, votes: 1, votePaths: [hotVotes] }

async function listenWhileVoting(subject: TossupSubject, layout: Layout, given: BenchArguments): Promise<Heard> {
  // Listeners first, while the process has done nothing else, so that its memory shows only their cost.
  const idle = await Crowd.gather(subject.url, given.most, layout.paths)
  atEnd(() => idle.leave())
  await Bun.sleep(IDLE_MS)
  const idleBytes = memoryOf(subject)
  await idle.leave()
  await Bun.sleep(LEAVING_MS)
  const without = await takeSample(subject, votes, given.seconds)
  const crowd = await Crowd.gather(subject.url, given.most, layout.paths)
  atEnd(() => crowd.leave())
  const before = await crowd.report()
  const { sample, mostBytes } = await watched(subject, () => takeSample(subject, votes, given.seconds))
  await Bun.sleep(SETTLE_MS)
  const after = await crowd.report()
  const wrong = misled(after, await shownTotals(subject.url)) + given.most - after.open
  await crowd.leave()
  const eventsPerSecond = (after.events - before.events) / given.seconds
  return { without, with: sample, idleBytes, mostBytes, eventsPerSecond, misled: wrong }
}

async function watched(subject: TossupSubject, run: () => Promise<Sample>) {
  let mostBytes = memoryOf(subject)
  const watch = setInterval(() => {
    mostBytes = Math.max(mostBytes, memoryOf(subject))
  }, LOOK_EVERY_MS)
  try {
    return { sample: await run(), mostBytes }
  } finally {
    clearInterval(watch)
  }
}

const speeds = (samples: readonly Sample[]): number[] => samples.map(({ perSecond }) => perSecond)

const ratioOf = ({ heard }: Measured): number =>
  medianRatio(speeds(heard.map((one) => one.with)), speeds(heard.map(({ without }) => without)))

/** The server's CPU time for a vote, including its events: other load on the machine disturbs it less than throughput. */
function shownCpuRatio({ heard }: Measured): string {
  const cpu = (samples: readonly Sample[]) => samples.map((sample) => sample.cpu ?? Number.NaN)
  const value = medianRatio(cpu(heard.map(({ without }) => without)), cpu(heard.map((one) => one.with)))
  return Number.isNaN(value) ? '' : ratio(value)
}

const most = (values: readonly number[]): number => Math.max(...values)

function tableOf(measured: readonly Measured[], listeners: number): string {
  const head = [
    `${count(listeners)} listeners`,
    ...['memory without', 'idle', 'while voting', 'votes/s without', 'with', 'ratio', 'by CPU', 'p99 ms', 'with'],
    ...['events/s', 'told wrong at the end'],
  ]
  const rows = measured.map((one) => {
    const { engine, layout, heard, bareBytes } = one
    const middle = (pick: (heard: Heard) => number) => median(heard.map(pick))
    return [
      `${engine}, ${layout.name}`,
      megabytes(median(bareBytes)),
      megabytes(most(heard.map(({ idleBytes }) => idleBytes))),
      megabytes(most(heard.map(({ mostBytes }) => mostBytes))),
      count(middle(({ without }) => without.perSecond)),
      count(middle((each) => each.with.perSecond)),
      ratio(ratioOf(one)),
      shownCpuRatio(one),
      middle(({ without }) => without.p99).toFixed(0),
      middle((each) => each.with.p99).toFixed(0),
      count(middle(({ eventsPerSecond }) => eventsPerSecond)),
      count(heard.reduce((sum, each) => sum + each.misled, 0)),
    ]
  })
  return formatTable(head, rows)
}

const targetOf = ({ engine, layout, heard }: Measured, listeners: number): Target => ({
  what: `${engine}, ${count(listeners)} listeners ${layout.name}: memory while they are idle`,
  asked: 170,
  measured: most(heard.map(({ idleBytes }) => idleBytes)) / 1e6,
  isCeiling: true,
  unit: ' MB',
})
