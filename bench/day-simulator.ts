import { LONGEST_QUEUE, LONGEST_WAIT_MS } from '../server/src/features/votes/ledger.ts'
import { settings } from '../server/src/settings.ts'
import { type Cohort, CohortCalendar, CohortQueue, evenly } from './day-cohorts.ts'
import { CLIENT, pauseAfterRefusal, pauseAfterSilence, shortened } from './show-voter.ts'

export const TICK_MS = 100
export const TICKS_A_SECOND = 1_000 / TICK_MS
const GRAIN = TICKS_A_SECOND

/** What answers: servers with one database. */
export interface Place {
  readonly servers: number
  /** The votes that the ledger of one server stores; several servers store no more, because they share the database. */
  readonly votesPerSecond: number
  readonly serverMicroseconds: number
  /** 0 where the database is part of the server. */
  readonly databaseMicroseconds: number
  readonly readMicroseconds: number
  /** Processor time of one open stream in each second in which votes change its poll. */
  readonly streamMicroseconds: number
}

/** What arrives, by the tick. */
export interface Traffic {
  readonly votes: ArrayLike<number>
  /** Page views that reach the servers, not the cache in front of them. */
  readonly reads: ArrayLike<number>
  /** A voter keeps the page open for so long. Later a waiting vote stays in the browser, until the next visit. */
  readonly staySeconds: number
}

/** Parts of what there is in a second; more voters than streams make a share above 1. */
export interface Shares {
  readonly ledger: number
  readonly server: number
  readonly database: number
  readonly streams: number
}

export interface Played {
  readonly arrived: number
  readonly stored: number
  readonly storedWithinSecond: number
  /** Answers with 503. One vote may be refused several times. */
  readonly refusals: number
  /** Votes that were never answered in time by the server, counted at each attempt. */
  readonly silences: number
  /** Votes that still wait when the day ends, at the server or in an open page. */
  readonly waiting: number
  /** Votes that wait in a browser for the next visit. */
  readonly kept: number
  /** From the first attempt of a vote until it is stored. */
  readonly longestWaitSeconds: number
  readonly meanWaitSeconds: number
  /** When the last vote was stored that had waited; null if none had. */
  readonly lastLateSecond: number | null
  readonly longestQueue: number
  /** The most of each within one second, not necessarily the same second. */
  readonly busiest: Shares
  readonly saturatesFirst: (typeof NEEDED)[number] | null
}

const FULL = 0.995
const LATE_SECONDS = 1

/** Plays traffic against a place, without any chance in it: the same traffic gives the same day. */
export function play(place: Place, traffic: Traffic): Played {
  const day = new Day(place, traffic)
  for (let tick = 0; tick < traffic.votes.length; tick++) day.play(tick)
  return day.end()
}

class Day {
  readonly #place: Place
  readonly #traffic: Traffic
  readonly #later = new CohortCalendar(GRAIN)
  /** Sent, and not yet read by the server. */
  readonly #unread = new CohortQueue()
  readonly #ledger = new CohortQueue()
  readonly #meter = new Meter()
  readonly #streams: Streams
  #credit = 0
  #arrived = 0
  #stored = 0
  #storedWithinSecond = 0
  #refusals = 0
  #silences = 0
  #kept = 0
  #longestWait = 0
  #waited = 0
  #lastLate: number | null = null
  #longestQueue = 0

  constructor(place: Place, traffic: Traffic) {
    this.#place = place
    this.#traffic = traffic
    this.#streams = new Streams(traffic.staySeconds * TICKS_A_SECOND, place.servers * settings.streams.fallback)
  }

  play(tick: number): void {
    const arriving = this.#traffic.votes[tick] ?? 0
    this.#arrived += arriving
    for (const cohort of this.#later.take(tick)) this.#unread.push(cohort)
    this.#unread.push({ first: tick, sent: tick, refusals: 0, count: arriving })
    this.#giveUp(tick)
    this.#answer(tick)
    this.#longestQueue = Math.max(this.#longestQueue, this.#ledger.votes)
  }

  end(): Played {
    return {
      arrived: this.#arrived,
      stored: this.#stored,
      storedWithinSecond: this.#storedWithinSecond,
      refusals: this.#refusals,
      silences: this.#silences,
      waiting: this.#later.votes + this.#unread.votes + this.#ledger.votes,
      kept: this.#kept,
      longestWaitSeconds: this.#longestWait / TICKS_A_SECOND,
      meanWaitSeconds: this.#waited / TICKS_A_SECOND / Math.max(1, this.#stored),
      lastLateSecond: this.#lastLate === null ? null : this.#lastLate / TICKS_A_SECOND,
      longestQueue: this.#longestQueue,
      ...this.#meter.end(),
    }
  }

  #giveUp(tick: number): void {
    for (const cohort of this.#ledger.takeOlder(tick - LONGEST_WAIT_MS / TICK_MS)) this.#refuse(tick, cohort)
    for (const cohort of this.#unread.takeOlder(tick - CLIENT.timeoutMs / TICK_MS)) {
      this.#silences += cohort.count
      this.#sendAgain(tick, cohort, pauseAfterSilence)
    }
  }

  /** Requests share the processor fairly; storing comes before refusing. */
  #answer(tick: number): void {
    const { servers, votesPerSecond, serverMicroseconds, databaseMicroseconds, readMicroseconds } = this.#place
    const processor = servers * TICK_MS * 1_000
    const reads = (this.#traffic.reads[tick] ?? 0) * readMicroseconds
    const streams = (this.#streams.open * this.#place.streamMicroseconds) / TICKS_A_SECOND
    const waiting = this.#ledger.votes + this.#unread.votes
    // A vote takes its place in the ledger's rhythm: time in which nothing waited is not made up for.
    const due = Math.min(this.#credit, 1) + votesPerSecond / TICKS_A_SECOND
    const wanted = Math.min(Math.floor(due), waiting)
    const room = Math.max(0, servers * LONGEST_QUEUE - this.#ledger.votes)
    const tooMany = Math.max(0, this.#unread.votes - room - wanted)
    const asked = (wanted + tooMany) * serverMicroseconds + reads + streams
    const forVotes = (wanted + tooMany) * serverMicroseconds * Math.min(1, processor / asked || 0)
    const storing = Math.min(wanted, Math.floor(forVotes / serverMicroseconds))
    const refusing = Math.min(tooMany, Math.floor(forVotes / serverMicroseconds) - storing)
    this.#credit = due - storing
    this.#read({ tick, accepted: Math.min(this.#unread.votes, room + storing), refusing })
    this.#store(tick, storing)
    this.#meter.note({
      ledger: wanted < waiting ? 1 : wanted / (votesPerSecond / TICKS_A_SECOND),
      server: Math.min(1, asked / processor),
      database: (storing * databaseMicroseconds) / (TICK_MS * 1_000),
      streams: this.#streams.share,
    })
  }

  /** The server reads requests in their order. Among those that it reads at once, chance decides which find a place. */
  #read({ tick, accepted, refusing }: { tick: number; accepted: number; refusing: number }): void {
    const total = accepted + refusing
    let read = 0
    for (const cohort of this.#unread.take(total)) {
      const before = Math.floor((read * accepted) / total)
      read += cohort.count
      const lucky = Math.floor((read * accepted) / total) - before
      this.#ledger.push({ ...cohort, count: lucky })
      this.#refuse(tick, { ...cohort, count: cohort.count - lucky })
    }
  }

  #store(tick: number, votes: number): void {
    for (const { first, count } of this.#ledger.take(votes)) {
      const wait = tick - first
      if (wait <= LATE_SECONDS * TICKS_A_SECOND) this.#storedWithinSecond += count
      else this.#lastLate = tick
      this.#longestWait = Math.max(this.#longestWait, wait)
      this.#waited += wait * count
    }
    this.#stored += votes
    this.#streams.add(votes)
  }

  #refuse(tick: number, cohort: Cohort): void {
    this.#refusals += cohort.count
    this.#sendAgain(tick, cohort, pauseAfterRefusal)
  }

  #sendAgain(tick: number, { first, count, refusals }: Cohort, pauseAfter: typeof pauseAfterRefusal): void {
    const times = shortened(refusals + 1)
    const soonest = ticksOf(pauseAfter(times, () => 0))
    const latest = ticksOf(pauseAfter(times, () => 1))
    const parts = evenly(count, latest - soonest + 1)
    for (const [i, part] of parts.entries()) {
      const sent = tick + soonest + i
      if (sent - first > this.#traffic.staySeconds * TICKS_A_SECOND) this.#kept += part
      else this.#later.add({ first, sent, refusals: times, count: part })
    }
  }
}

const ticksOf = (milliseconds: number): number => Math.max(1, Math.round(milliseconds / TICK_MS))

/** Voters who watch the counts after their vote. A full server refuses further streams. */
class Streams {
  readonly #most: number
  /** A ring of the votes of each tick. */
  readonly #voters: Float64Array
  #at = 0
  #wanted = 0

  constructor(stayTicks: number, most: number) {
    this.#voters = new Float64Array(Math.max(1, Math.round(stayTicks)))
    this.#most = most
  }

  add(votes: number): void {
    this.#wanted += votes - (this.#voters[this.#at] ?? 0)
    this.#voters[this.#at] = votes
    this.#at = (this.#at + 1) % this.#voters.length
  }

  get open(): number {
    return Math.min(this.#wanted, this.#most)
  }

  get share(): number {
    return this.#wanted / this.#most
  }
}

const NAMES = ['ledger', 'server', 'database', 'streams'] as const satisfies (keyof Shares)[]
/**
 * What a vote needs; without a stream its voter only sees no later counts. Of several that are full within one second the first counts:
 * a full server also holds up its ledger.
 */
const NEEDED = ['server', 'database', 'ledger'] as const satisfies (keyof Shares)[]

/** The busiest second of each resource, and the first one that was full for a second. */
class Meter {
  readonly #sum: Record<keyof Shares, number> = { ledger: 0, server: 0, database: 0, streams: 0 }
  readonly #busiest: Record<keyof Shares, number> = { ledger: 0, server: 0, database: 0, streams: 0 }
  #first: Played['saturatesFirst'] = null
  #ticks = 0

  note(shares: Shares): void {
    this.#ticks++
    for (const name of NAMES) this.#sum[name] += shares[name] / TICKS_A_SECOND
    if (this.#ticks % TICKS_A_SECOND > 0) return
    for (const name of NAMES) {
      if (this.#sum[name] > this.#busiest[name]) this.#busiest[name] = this.#sum[name]
      this.#sum[name] = 0
    }
    this.#first ??= this.#fullest()
  }

  end(): Pick<Played, 'busiest' | 'saturatesFirst'> {
    return { busiest: { ...this.#busiest }, saturatesFirst: this.#first }
  }

  #fullest(): Played['saturatesFirst'] {
    return NEEDED.find((name) => this.#busiest[name] >= FULL) ?? null
  }
}
