import type { BenchArguments, EngineName } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { residentBytes } from '../processes.ts'
import { Progress } from '../progress.ts'
import { count, formatTable, megabytes } from '../table.ts'
import { chooseEngines } from '../workloads/choose-engines.ts'
import { CONNECTIONS, type LoadResult, runLoad } from '../workloads/load.ts'
import type { Report } from '../workloads/measure-workloads.ts'
import { hotVotes, startTossup, type TossupSubject } from '../workloads/subjects.ts'
import { type Target, targetTable } from '../workloads/targets.ts'

const MINUTE_SECONDS = 60
const LOOK_EVERY_MS = 250

/** The default device limit, so that every device is remembered for a minute. */
const settings = { VOTES_PER_MINUTE: '10', NETWORK_VOTES_PER_MINUTE: '0' }

interface Watched {
  readonly engine: EngineName
  readonly result: LoadResult
  readonly before: number
  readonly after: number
  readonly peak: number
}

export async function measureMemory({ engine, most }: BenchArguments): Promise<Report> {
  const engines = await chooseEngines(engine)
  const watched: Watched[] = []
  const progress = new Progress(engines.length * MINUTE_SECONDS)
  for (const name of engines) watched.push(await watchMinute(name, { most, progress }))
  progress.end()
  const table = formatTable(
    ['', 'votes by as many devices', 'seconds', 'refused', 'memory before', 'after', 'most'],
    watched.map(({ engine: name, result, before, after, peak }) => [
      name,
      count(result.requests - result.refused),
      result.seconds.toFixed(1),
      count(result.refused + result.broken),
      ...[before, after, peak].map(megabytes),
    ]),
  )
  const targets = targetTable(watched.map((one) => targetOf(one, most)))
  const isRight = watched.every(({ result }) => result.refused + result.broken === 0)
  return { text: `${table}\n\n${targets}`, isRight }
}

function targetOf({ engine, result, peak }: Watched, most: number): Target {
  const votes = result.requests - result.refused
  const plainly = votes >= most ? '' : `; ${count(most)} did not fit into the minute`
  return {
    what: `${engine}: memory with ${count(votes)} devices within their minute${plainly}`,
    asked: 260,
    measured: peak / 1e6,
    isCeiling: true,
    unit: ' MB',
  }
}

async function watchMinute(
  engine: EngineName,
  { most, progress }: { most: number; progress: Progress },
): Promise<Watched> {
  const made = await startTossup(engine)
  await made.pause()
  const subject: TossupSubject = await made.restart(settings)
  atEnd(() => subject.stop())
  const memory = () => residentBytes(subject.pid) ?? Number.NaN
  const before = memory()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, memory())
    progress.advance(LOOK_EVERY_MS / 1000, `${engine}, ${count(most)} devices`)
  }, LOOK_EVERY_MS)
  // Requests in flight when the load ends are cut off, so a few more are sent.
  const plan = { reads: 0, votes: 1, votePaths: [hotVotes], most: most + CONNECTIONS }
  try {
    const result = await runLoad({ url: subject.url, plan, seconds: MINUTE_SECONDS })
    const after = memory()
    return { engine, result, before, after, peak: Math.max(peak, after) }
  } finally {
    clearInterval(watch)
  }
}
