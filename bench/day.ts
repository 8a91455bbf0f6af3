import { readFileSync } from 'node:fs'
import { openFileLimit } from '../server/src/base/open-file-limit.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { type Capacity, middleOf, occupiedMicroseconds, withShare } from './day-capacity.ts'
import { type Played, play, TICK_MS, TICKS_A_SECOND } from './day-simulator.ts'
import { trafficOf } from './day-traffic.ts'
import { BOUND, differences, GRACE_SECONDS, isUpheld, judged, LEAST_SHARE, type ShowResult } from './day-verdict.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { coreTime, cpuMicroseconds, onLoadCore, shareOfCore } from './processes.ts'
import { Progress } from './progress.ts'
import { readCosts, SUPPOSED } from './scale-model.ts'
import type { CrowdPlan, CrowdResult } from './show-crowd.ts'
import { showsTable } from './show-scenarios.ts'
import { median } from './statistics.ts'
import { hotVotes, type Stored, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, ratio } from './table.ts'

const CROWD = new URL('show-crowd.ts', import.meta.url).pathname
/** Enough for groups of the largest size. */
const BURST_CONNECTIONS = 1_000
const BURST_SECONDS = 1.5
const FIRST_BURST = 5_000
/** The peak of the show against the measured capacity. */
const PEAK = 2
/** A show lasts so many of its minutes. */
const MINUTES = 4
const DRAIN_SECONDS = 120
/** Of the connections that the server keeps before it closes idle ones. */
const SHARE_OF_CONNECTIONS = 0.5
/** A port for each connection: systems have about 28,000. */
const MOST_CONNECTIONS = 25_000

interface Round {
  readonly capacities: readonly [Capacity, Capacity]
  /** The part of its core that the server had during the show. */
  readonly share: number
  readonly peak: number
  readonly votes: number
  readonly measured: CrowdResult
  readonly simulated: Played
  readonly differences: readonly string[]
  readonly problem: string | null
}

/** Prints the simulated shows of the guide, and plays a short show against a real server and the simulator. */
export async function measureDay({ engine, rounds, seconds }: BenchArguments): Promise<Report> {
  process.stdout.write(`${showsTable(readCosts(readFileSync(new URL('RESULTS.md', import.meta.url), 'utf8')))}\n\n`)
  const engines = await enginesFor(engine)
  const progress = new Progress(engines.length * rounds)
  const played = new Map<EngineName, Round[]>()
  for (const name of engines) {
    const subject = await startTossup(name)
    atEnd(() => subject.stop())
    // The first votes compile the code.
    await storeBurst(subject, FIRST_BURST)
    const all: Round[] = []
    for (let round = 0; round < rounds; round++) {
      all.push(await playRound(subject, seconds))
      progress.advance(1, name)
    }
    await subject.stop()
    played.set(name, all)
  }
  progress.end()
  const all = [...played.values()]
  const agrees = (rounds: readonly Round[]) => rounds.length === 0 || isUpheld(rounds.map((round) => round.differences))
  const isWhole = all.every((rounds) => judged(rounds).length * 2 > rounds.length)
  if (!isWhole) process.stdout.write('The server rarely had its core: too few rounds are judged\n')
  return {
    text: `${tableOf(played)}\n\n${LEGEND}`,
    isRight: all.every((rounds) => agrees(judged(rounds)) && rounds.every(({ problem }) => problem === null)),
    isWhole,
  }
}

async function enginesFor(engine: EngineName | null): Promise<readonly EngineName[]> {
  const isThere = engine === 'sqlite' || (await hasPostgres(ADMIN_URL))
  if (engine === 'postgres' && !isThere) throw new Error('PostgreSQL does not answer')
  if (engine !== null) return [engine]
  if (!isThere) process.stdout.write('PostgreSQL does not answer: only SQLite is measured\n')
  return isThere ? ['sqlite', 'postgres'] : ['sqlite']
}

/** In a process of its own: the crowd keeps its pace however slow the server is. */
async function sendCrowd({ url }: TossupSubject, plan: Omit<CrowdPlan, 'path'>): Promise<CrowdResult> {
  const bun = [process.execPath, '--no-env-file', '--no-install', '--no-orphans']
  const command = [...onLoadCore, ...bun, CROWD, url, JSON.stringify({ path: hotVotes, ...plan } satisfies CrowdPlan)]
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the voters of the show failed')
  return JSON.parse(text)
}

/** The speed at which votes are stored that all came at once. */
async function storeBurst(subject: TossupSubject, votes: number): Promise<Capacity> {
  const before = cpuMicroseconds(subject.pid) ?? 0
  const { result, share } = await sharing(subject, () =>
    sendCrowd(subject, { votes: [votes], tickMs: 1, connections: BURST_CONNECTIONS }),
  )
  const spent = (cpuMicroseconds(subject.pid) ?? 0) - before
  return { perSecond: votes / result.lastStoredSecond, microseconds: spent / votes, share }
}

async function sharing<T>({ pid }: TossupSubject, work: () => Promise<T>) {
  const before = coreTime(pid)
  const result = await work()
  return { result, share: shareOfCore(before, coreTime(pid)) }
}

/** A burst, the show, and a burst: the capacity during the show lies between two measured ones, if the machine is steady. */
async function playRound(subject: TossupSubject, minute: number): Promise<Round> {
  const estimate = await storeBurst(subject, FIRST_BURST)
  const size = Math.ceil(estimate.perSecond * BURST_SECONDS)
  const before = await storeBurst(subject, size)
  const { connections, peak, votes: planned } = planFor(before, minute)
  const held = await subject.stored()
  const { result: measured, share } = await sharing(subject, () =>
    sendCrowd(subject, { votes: planned, tickMs: TICK_MS, connections }),
  )
  const now = await subject.stored()
  const after = await storeBurst(subject, size)
  const sent = new Uint32Array(measured.sent.length + DRAIN_SECONDS * TICKS_A_SECOND)
  sent.set(measured.sent)
  const votes = sent.reduce((sum, each) => sum + each, 0)
  const simulate = (capacity: Capacity) =>
    play(
      {
        servers: 1,
        votesPerSecond: capacity.perSecond,
        serverMicroseconds: occupiedMicroseconds(capacity),
        databaseMicroseconds: 0,
        readMicroseconds: 0,
        streamMicroseconds: 0,
      },
      { votes: sent, reads: [], staySeconds: DRAIN_SECONDS },
    )
  const [one, other] = [withShare(before, share), withShare(after, share)]
  const capacities = one.perSecond < other.perSecond ? ([one, other] as const) : ([other, one] as const)
  return {
    capacities,
    share,
    peak,
    votes,
    measured,
    simulated: simulate(middleOf(capacities)),
    differences: differences(measured, { slow: simulate(capacities[0]), fast: simulate(capacities[1]) }, votes),
    problem: problemOf(measured, held, now),
  }
}

/** As far above the capacity as the connections for the waiting votes allow. */
function planFor({ perSecond }: Capacity, minute: number) {
  const limit = openFileLimit() ?? MOST_CONNECTIONS
  const connections = Math.min(MOST_CONNECTIONS, Math.floor(SHARE_OF_CONNECTIONS * limit))
  const peak = Math.min(PEAK * perSecond, perSecond + connections / minute)
  const { firstMinute } = SUPPOSED
  const rampSeconds = minute / 12
  const show = {
    votes: Math.round((peak * (minute - rampSeconds / 2)) / firstMinute),
    atSecond: 0,
    rampSeconds,
    firstMinute,
    minuteSeconds: minute,
  }
  const { votes } = trafficOf({
    seconds: minute * MINUTES,
    votes: 0,
    shows: [show],
    viewsPerVote: 0,
    mostReads: null,
    staySeconds: 0,
    seed: 1,
  })
  return { connections, peak, votes: Array.from(votes) }
}

function problemOf({ stored, wrong, unanswered }: CrowdResult, before: Stored | null, after: Stored | null) {
  if (wrong > 0) return `${wrong} REFUSED`
  if (!before || !after || after.rows !== after.tallies) return `TALLIES SAY ${after?.tallies}, ROWS ${after?.rows}`
  const added = after.rows - before.rows
  if (added < stored) return `${stored - added} ACKNOWLEDGED ARE LOST`
  return added > stored + unanswered ? `${added - stored} ADDED, ${stored} ACKNOWLEDGED` : null
}

const LEGEND = `Each round measures the capacity (votes that come at once), plays a show whose peak is above it, and measures again; "most / least" compares
the two. Both are converted to the share of its core that the server had during the show: on an idle machine all of it ("core"). The simulator gets the votes as they were sent, and here the middle of both capacities. All figures are medians. "last late" is when the last
vote was stored that had waited more than a second. A round agrees if each measured figure but that one is at most ${BOUND} times beyond the simulations
with the least and the most capacity; most rounds have to agree. A round in which
the server had less than ${LEAST_SHARE * 100} % of its core is not judged. The ratio adds a second to both means.`

function tableOf(played: ReadonlyMap<EngineName, readonly Round[]>): string {
  const head = [
    ...[
      'show',
      'capacity',
      'most / least',
      'core',
      'peak votes/s',
      'votes',
      'within 1 s',
      'mean wait',
      'longest',
      'last late',
      '503',
    ],
    ...[
      'simulated: within 1 s',
      'mean',
      'longest wait',
      'last late',
      '503',
      'ratio of means',
      'stored',
      'rounds that agree',
    ],
  ]
  return formatTable(
    head,
    [...played].map(([engine, all]) => {
      const middle = (pick: (round: Round) => number) => median(all.map(pick))
      const counting = judged(all)
      const agreeing = counting.filter((round) => round.differences.length === 0).length
      const wrong = [...new Set(counting.flatMap((round) => round.differences))].join(', ')
      return [
        engine,
        count(middle(({ capacities }) => middleOf(capacities).perSecond)),
        ratio(middle(({ capacities: [slow, fast] }) => fast.perSecond / slow.perSecond)),
        `${(middle(({ share }) => share) * 100).toFixed(0)} %`,
        count(middle(({ peak }) => peak)),
        count(middle(({ votes }) => votes)),
        ...figuresOf(all, ({ measured }) => measured),
        ...figuresOf(all, ({ simulated }) => simulated),
        ratio(
          middle(
            ({ measured, simulated }) =>
              (simulated.meanWaitSeconds + GRACE_SECONDS) / (measured.meanWaitSeconds + GRACE_SECONDS),
          ),
        ),
        all.map(({ problem }) => problem).find((problem) => problem !== null) ?? 'all',
        `${agreeing} of ${counting.length}${wrong && ` (others: ${wrong})`}`,
      ]
    }),
  )
}

type Shown = ShowResult & Pick<Played, 'lastLateSecond'>

function figuresOf(rounds: readonly Round[], resultOf: (round: Round) => Shown): string[] {
  const middle = (pick: (result: Shown, votes: number) => number) =>
    median(rounds.map((round) => pick(resultOf(round), round.votes)))
  const seconds = (pick: (result: Shown) => number) => `${middle(pick).toFixed(1)} s`
  return [
    `${middle(({ storedWithinSecond }, votes) => (storedWithinSecond / votes) * 100).toFixed(0)} %`,
    seconds(({ meanWaitSeconds }) => meanWaitSeconds),
    seconds(({ longestWaitSeconds }) => longestWaitSeconds),
    seconds(({ lastLateSecond }) => lastLateSecond ?? 0),
    count(middle(({ refusals }) => refusals)),
  ]
}
