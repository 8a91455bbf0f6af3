import { expectStatus, OwnerClient } from '../server/test/child-service.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { hasPostgres } from './has-postgres.ts'
import type { HookReport } from './hook-receiver.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { ReportingChild } from './reporting-child.ts'
import { isRightSample, type Sample, takeSample } from './sample.ts'
import { median, medianRatio } from './statistics.ts'
import { hotVotes, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, ratio } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const RECEIVER = new URL('hook-receiver.ts', import.meta.url).pathname
const WARM_UP_SECONDS = 1
const PAUSE_MS = 500
const AFTERWARDS_MS = 2_000
/** After this long without an arrival, missing deliveries count as lost. */
const QUIET_MS = 15_000

/** The workload in which a vote costs least, and its event therefore weighs most. */
const votes = { reads: 0, votes: 1, votePaths: [hotVotes] }

interface Delivered {
  readonly sample: Sample
  /** Deliveries a second while votes were sent, and afterwards. */
  readonly during: number
  readonly after: number
  /** Null except for the first round, which waits for all deliveries. */
  readonly lost: number | null
  readonly twice: number
}

interface Measured {
  readonly engine: EngineName
  readonly without: Sample[]
  readonly with: Delivered[]
}

export async function measureWebhooks(given: BenchArguments): Promise<Report> {
  const engines: EngineName[] = given.engine === null ? ['sqlite', 'postgres'] : [given.engine]
  const progress = new Progress(engines.length * given.rounds * 2)
  const measured: Measured[] = []
  for (const engine of engines) {
    if (engine === 'postgres' && !(await hasPostgres(ADMIN_URL)))
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
    else measured.push(await measureEngine(engine, given, progress))
  }
  progress.end()
  const targets = measured.map(targetOf)
  const isRight = measured.every(
    (one) => one.without.every(isRightSample) && one.with.every(({ sample, lost }) => !lost && isRightSample(sample)),
  )
  return { text: [tableOf(measured), formatTable(targetHead, targets.map(targetRow))].join('\n\n'), isRight }
}

/** Each run uses a new database and process, because a log of earlier deliveries would slow the next run. */
async function measureEngine(engine: EngineName, { rounds, seconds }: BenchArguments, progress: Progress) {
  const measured: Measured = { engine, without: [], with: [] }
  for (let round = 0; round < rounds; round++) {
    for (const hasWebhook of round % 2 === 0 ? [false, true] : [true, false]) {
      const what = `${engine}, ${hasWebhook ? 'with' : 'without'} a webhook`
      progress.advance(0, what)
      const stopped = await startTossup(engine)
      await stopped.pause()
      const subject = await stopped.restart({ WEBHOOK_ALLOW_PRIVATE: 'true' })
      atEnd(() => subject.pause())
      if (hasWebhook) measured.with.push(await voteWhileDelivering(subject, { seconds, isToTheEnd: round === 0 }))
      else measured.without.push(await voteAlone(subject, seconds))
      await subject.stop()
      progress.advance(1, what)
    }
  }
  return measured
}

async function voteAlone(subject: TossupSubject, seconds: number): Promise<Sample> {
  await takeSample(subject, votes, WARM_UP_SECONDS)
  await Bun.sleep(PAUSE_MS)
  return takeSample(subject, votes, seconds)
}

interface Run {
  readonly seconds: number
  readonly isToTheEnd: boolean
}

async function voteWhileDelivering(subject: TossupSubject, { seconds, isToTheEnd }: Run): Promise<Delivered> {
  const receiver = new ReportingChild<HookReport>(RECEIVER)
  atEnd(() => receiver.leave())
  const { url } = await receiver.next()
  const client = await OwnerClient.connect(subject.url, subject.owner)
  await expectStatus(await client.write('POST', 'brands/me/webhooks', { url, events: ['poll.voted'] }), 201)
  await takeSample(subject, votes, WARM_UP_SECONDS)
  await Bun.sleep(PAUSE_MS)
  const [before, beganAt] = [await receiver.report(), performance.now()]
  const sample = await takeSample(subject, votes, seconds)
  const [between, endedAt] = [await receiver.report(), performance.now()]
  await Bun.sleep(AFTERWARDS_MS)
  const [later, laterAt] = [await receiver.report(), performance.now()]
  const due = (await subject.stored())?.rows ?? 0
  const last = isToTheEnd ? await untilAll(receiver, due) : later
  await receiver.leave()
  return {
    sample,
    during: (between.attempts - before.attempts) / ((endedAt - beganAt) / 1_000),
    after: (later.attempts - between.attempts) / ((laterAt - endedAt) / 1_000),
    lost: isToTheEnd ? due - last.events : null,
    twice: last.attempts - last.events,
  }
}

async function untilAll(receiver: ReportingChild<HookReport>, due: number): Promise<HookReport> {
  let last = await receiver.report()
  let lastAt = performance.now()
  while (last.events < due && performance.now() - lastAt < QUIET_MS) {
    await Bun.sleep(50)
    const now = await receiver.report()
    if (now.attempts > last.attempts) lastAt = performance.now()
    last = now
  }
  return last
}

const speeds = (samples: readonly Sample[]): number[] => samples.map(({ perSecond }) => perSecond)

const cpus = (samples: readonly Sample[]): number[] => samples.map(({ cpu }) => cpu ?? Number.NaN)

const samplesWith = (one: Measured): Sample[] => one.with.map(({ sample }) => sample)

const ratioOf = (one: Measured): number => medianRatio(speeds(samplesWith(one)), speeds(one.without))

function tableOf(measured: readonly Measured[]): string {
  const head = [
    'votes on one poll',
    ...['votes/s without', 'with', 'ratio', 'CPU µs a vote', 'with', 'p99 ms', 'with'],
    ...['delivered/s meanwhile', 'afterwards', 'lost', 'twice'],
  ]
  const shown = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(1))
  const rows = measured.map((one) => {
    const delivered = (pick: (delivered: Delivered) => number) => one.with.map(pick)
    return [
      `Tossup on ${one.engine}`,
      count(median(speeds(one.without))),
      count(median(speeds(samplesWith(one)))),
      ratio(ratioOf(one)),
      shown(median(cpus(one.without))),
      shown(median(cpus(samplesWith(one)))),
      median(one.without.map(({ p99 }) => p99)).toFixed(0),
      median(samplesWith(one).map(({ p99 }) => p99)).toFixed(0),
      count(median(delivered(({ during }) => during))),
      count(median(delivered(({ after }) => after))),
      count(delivered(({ lost }) => lost ?? 0).reduce((sum, lost) => sum + lost, 0)),
      count(delivered(({ twice }) => twice).reduce((sum, twice) => sum + twice, 0)),
    ]
  })
  return formatTable(head, rows)
}

const targetOf = (one: Measured): Target => ({
  what: `${one.engine}, an active webhook for poll.voted: votes/s against none`,
  least: 0.7,
  measured: ratioOf(one),
})
