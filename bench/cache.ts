import { freePort } from '../server/test/free-port.ts'
import type { BenchArguments } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { fillPolls } from './fill.ts'
import type { Report } from './measure-workloads.ts'
import { Progress } from './progress.ts'
import { median, percentile } from './statistics.ts'
import { startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

/** As many polls as the server keeps in memory (`MOST_KEPT` of its snapshots), one more, and twice as many. */
const KEPT = 20_000
const POLLS = [KEPT / 2, KEPT, KEPT + 1, 2 * KEPT] as const
const READERS = 32

/** Which of the polls a request is for: by a number from 0 up to 1. */
const TRAFFIC = {
  /** The n-th most read poll is read n times less often than the first. */
  'some much more than others': (random: number, polls: number) => Math.floor(polls ** random) - 1,
  'all alike': (random: number, polls: number) => Math.floor(random * polls),
} as const
type Traffic = keyof typeof TRAFFIC

interface Measured {
  readonly traffic: Traffic
  readonly polls: number
  readonly perSecond: number
  readonly p99: number
  /** Of the requests, those that were answered from memory. */
  readonly hits: number
}

/** What a poll more than the cache holds does to the reads of all others. */
export async function measureCache({ seconds, rounds }: BenchArguments): Promise<Report> {
  const metricsPort = freePort()
  const made = await startTossup('sqlite')
  await made.pause()
  await fillPolls(made.home, Math.max(...POLLS))
  const subject = await made.restart({ METRICS_PORT: String(metricsPort) })
  atEnd(() => subject.stop())
  const kinds = Object.keys(TRAFFIC) as Traffic[]
  const progress = new Progress(rounds * kinds.length * POLLS.length * seconds)
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    for (const traffic of kinds) {
      for (const polls of POLLS) {
        const run = { polls, pick: TRAFFIC[traffic], seconds, metricsPort }
        measured.push({ traffic, polls, ...(await readFor(subject, run)) })
        progress.advance(seconds, `${count(polls)} polls, ${traffic}`)
      }
    }
  }
  progress.end()

  const middle = (traffic: Traffic, polls: number, value: 'perSecond' | 'p99' | 'hits') =>
    median(measured.filter((one) => one.traffic === traffic && one.polls === polls).map((one) => one[value]))
  const table = formatTable(
    ['polls are read', 'polls', 'requests/s', 'p99 ms', 'from memory'],
    kinds.flatMap((traffic) =>
      POLLS.map((polls) => [
        traffic,
        count(polls),
        count(middle(traffic, polls, 'perSecond')),
        middle(traffic, polls, 'p99').toFixed(1),
        `${(100 * middle(traffic, polls, 'hits')).toFixed(0)} %`,
      ]),
    ),
  )
  const targets = kinds.map((traffic): Target => {
    const [full, over] = [KEPT, KEPT + 1].map((polls) => middle(traffic, polls, 'perSecond')) as [number, number]
    return {
      what: `reads/s with ${count(KEPT + 1)} polls against ${count(KEPT)}, ${traffic}`,
      least: 0.9,
      measured: over / full,
    }
  })
  return { text: `${table}\n\n${formatTable(targetHead, targets.map(targetRow))}`, isRight: true }
}

interface Run {
  readonly polls: number
  readonly pick: (random: number, polls: number) => number
  readonly seconds: number
  readonly metricsPort: number
}

async function readFor({ url }: TossupSubject, { polls, pick, seconds, metricsPort }: Run) {
  const read = async (poll: number) => {
    const response = await fetch(`${url}/api/rest/v1/polls/filled-${poll}`)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`a read was answered ${response.status}`)
  }
  // Measures a cache that this traffic has filled, not one that it fills.
  let warming = polls
  await atOnce(async () => {
    while (warming-- > 0) await read(pick(Math.random(), polls))
  })
  const before = await lookupsOf(metricsPort)
  const latencies: number[] = []
  const end = performance.now() + seconds * 1_000
  await atOnce(async () => {
    for (let now = performance.now(); now < end; now = performance.now()) {
      await read(pick(Math.random(), polls))
      latencies.push(performance.now() - now)
    }
  })
  const after = await lookupsOf(metricsPort)
  const hits = after.hit - before.hit
  return {
    perSecond: latencies.length / seconds,
    p99: percentile(
      latencies.toSorted((a, b) => a - b),
      99,
    ),
    hits: hits / (hits + after.miss - before.miss),
  }
}

const atOnce = (work: () => Promise<void>): Promise<unknown> => Promise.all(Array.from({ length: READERS }, work))

async function lookupsOf(port: number): Promise<{ hit: number; miss: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lookups = (result: string) => {
    const found = new RegExp(`^tossup_cache_lookups_total\\{cache="polls",result="${result}"\\} (\\d+)$`, 'm').exec(
      text,
    )
    if (!found) throw new Error('the server does not count lookups in its cache of polls')
    return Number(found[1])
  }
  return { hit: lookups('hit'), miss: lookups('miss') }
}
