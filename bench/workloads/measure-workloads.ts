import type { BenchArguments } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { Progress } from '../progress.ts'
import { checksOf, isRightSample, type Sample, takeSample } from '../sample.ts'
import { median, medianRatio } from '../statistics.ts'
import { count, formatTable, megabytes, milliseconds, ratio } from '../table.ts'
import { chooseEngines } from './choose-engines.ts'
import {
  type Subject,
  type SubjectName,
  startBareBun,
  startByHandOnPostgres,
  startTossup,
  startWithNetworkLimit,
} from './subjects.ts'
import { type Target, targetTable } from './targets.ts'
import { chooseWorkloads, type Workload, yardstickOf } from './workloads.ts'

type Samples = Map<SubjectName, Sample[]>
type Measured = Map<Workload, Samples>

export interface Report {
  readonly text: string
  readonly isRight: boolean
  /** False if this machine lacks something that the results need. */
  readonly isWhole?: boolean
}

export async function measureWorkloads(given: BenchArguments): Promise<Report> {
  const chosen = chooseWorkloads(given.only)
  const subjects = await startSubjects(given, chosen)
  const parts = chosen.map((workload) => ({
    workload,
    present: subjects.filter(({ name }) => workload.subjects.includes(name)),
  }))
  const secondsEach = warmUpSeconds(given) + given.rounds * given.seconds
  const progress = new Progress(parts.flatMap(({ present }) => present).length * secondsEach)
  const measured: Measured = new Map()
  for (const { workload, present } of parts) {
    measured.set(workload, await measureWorkload({ workload, present, given, progress }))
  }
  progress.end()
  return reportOf(measured)
}

const warmUpSeconds = ({ isQuick }: BenchArguments): number => (isQuick ? 0 : 1)

interface WorkloadRun {
  readonly workload: Workload
  readonly present: readonly Subject[]
  readonly given: BenchArguments
  readonly progress: Progress
}

async function measureWorkload({ workload, present, given, progress }: WorkloadRun): Promise<Samples> {
  const run = async (subject: Subject, seconds: number): Promise<Sample> => {
    progress.advance(0, `${workload.title}, ${subject.name}`)
    const sample = await takeSample(subject, await workload.plan(subject), seconds)
    progress.advance(seconds, `${workload.title}, ${subject.name}`)
    return sample
  }
  const warmUp = warmUpSeconds(given)
  if (warmUp > 0) for (const subject of present) await run(subject, warmUp)
  const samples: Samples = new Map(present.map(({ name }) => [name, []]))
  for (let round = 0; round < given.rounds; round++) {
    // Alternating order, so that drift over the run favours no subject.
    for (const subject of round % 2 === 0 ? present : present.toReversed()) {
      samples.get(subject.name)?.push(await run(subject, given.seconds))
    }
  }
  return samples
}

/** One after another on the same core; subjects that are not being measured are idle. */
async function startSubjects({ engine }: BenchArguments, chosen: readonly Workload[]): Promise<Subject[]> {
  const started: Subject[] = []
  const start = async (starting: Promise<Subject>) => {
    const subject = await starting
    atEnd(() => subject.stop())
    started.push(subject)
    return subject
  }
  const engines = await chooseEngines(engine)
  if (engines.includes('sqlite')) await start(startTossup('sqlite'))
  const isLimited = chosen.some(({ subjects }) => subjects.includes('Tossup on SQLite, network limit'))
  if (engines.includes('sqlite') && isLimited) await start(startWithNetworkLimit())
  if (engines.includes('postgres')) {
    await start(startTossup('postgres'))
    await start(startByHandOnPostgres())
  }
  const [first] = started
  if (!first) throw new Error('there is nothing to measure')
  await start(startBareBun(first))
  return started
}

function reportOf(measured: Measured): Report {
  const isRight = [...measured.values()].every((samples) => [...samples.values()].flat().every(isRightSample))
  return { text: `${tableOf(measured)}\n\n${LEGEND}\n\n${targetTable([postgresTarget(measured)])}`, isRight }
}

const LEGEND = `"ratio" is requests/s against the yardstick named beside it, in the same round. "by CPU" is the same by the processor
time of the server's process alone, which a busy machine disturbs less; a database server's own time is not in it. Votes
are counted after each run, rows and tallies, against those acknowledged; "cut off" were in flight when a run ended.`

const HEAD = ['', 'requests/s', 'ratio', 'by CPU', 'of', 'p50 ms', 'p99 ms', 'CPU µs', 'memory', 'votes']

function tableOf(measured: Measured): string {
  const rows = [...measured].flatMap(([workload, samples]) =>
    workload.subjects
      .filter((name) => samples.has(name))
      .map((name) => {
        const own = samples.get(name) ?? []
        const yardstick = yardstickOf(workload, name)
        const other = yardstick === null ? undefined : samples.get(yardstick)
        const middle = (pick: (sample: Sample) => number) => median(own.map(pick))
        return [
          `${workload.title}, ${name}`,
          count(middle((sample) => sample.perSecond)),
          other ? ratio(speedRatio(own, other)) : '',
          other ? shownRatio(cpuRatio(own, other)) : '',
          other && yardstick ? yardstick : '',
          milliseconds(middle((sample) => sample.p50)),
          milliseconds(middle((sample) => sample.p99)),
          shownCpu(own),
          shownMemory(own),
          checksOf(own),
        ]
      }),
  )
  return formatTable(HEAD, rows)
}

const speeds = (samples: readonly Sample[]): number[] => samples.map((sample) => sample.perSecond)

const speedRatio = (own: readonly Sample[], other: readonly Sample[]): number => medianRatio(speeds(own), speeds(other))

const cpus = (samples: readonly Sample[]): number[] => samples.map((sample) => sample.cpu ?? Number.NaN)

/** The ratio of the yardstick's CPU time for a request to ours, so that higher is better here too. */
const cpuRatio = (own: readonly Sample[], other: readonly Sample[]): number => medianRatio(cpus(other), cpus(own))

const shownRatio = (value: number): string => (Number.isNaN(value) ? '' : ratio(value))

function shownCpu(samples: readonly Sample[]): string {
  const value = median(cpus(samples))
  return Number.isNaN(value) ? '' : value.toFixed(1)
}

function shownMemory(samples: readonly Sample[]): string {
  const memory = samples.at(-1)?.memory ?? null
  return memory === null ? '' : megabytes(memory)
}

function postgresTarget(measured: Measured): Target {
  const hot = [...measured].find(([{ name }]) => name === 'hot')?.[1]
  const [own, other] = [hot?.get('Tossup on PostgreSQL'), hot?.get('by hand on PostgreSQL')]
  return {
    what: 'votes/s on one poll, PostgreSQL, against a transaction a vote by hand',
    asked: 8,
    measured: own && other ? speedRatio(own, other) : null,
  }
}
