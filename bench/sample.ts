import { cpuMicroseconds, residentBytes } from './processes.ts'
import { count } from './table.ts'
import { CONNECTIONS, type LoadResult, type Plan, runLoad } from './workloads/load.ts'
import type { Stored, Subject } from './workloads/subjects.ts'

const SETTLE_WITHIN_MS = 5_000

/** One run of a load against one subject. */
export interface Sample {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The server's user and system time for each request; null without /proc. */
  readonly cpu: number | null
  readonly memory: number | null
  readonly votes: VoteCheck | null
  /** Requests that neither succeeded nor were cut off at the end. */
  readonly failed: number
}

export interface VoteCheck {
  /** The problem found, or null. */
  readonly problem: string | null
  readonly acknowledged: number
  /** Votes that were stored although their connection was already closed. */
  readonly cutOff: number
}

export async function takeSample(subject: Subject, plan: Plan, seconds: number): Promise<Sample> {
  const before = plan.votes > 0 ? await subject.stored() : null
  const cpuBefore = cpuMicroseconds(subject.pid)
  const result = await runLoad({ url: subject.url, plan, seconds })
  const cpuAfter = cpuMicroseconds(subject.pid)
  return {
    perSecond: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / result.requests,
    memory: residentBytes(subject.pid),
    votes: before && checkVotes(expectedVotes(result, plan), before, await settled(subject)),
    failed: result.refused + result.broken,
  }
}

/** Votes in flight at the end of the run may or may not be stored: they were never answered. */
export interface Expected {
  readonly least: number
  readonly most: number
}

export function expectedVotes(result: LoadResult, plan: Plan): Expected {
  const { requests, refused, broken, votesSent } = result
  // In a mixed run the generator does not tell votes from reads: all but those in flight were answered.
  const answered = plan.reads === 0 ? requests - refused : votesSent - CONNECTIONS - 1 - refused - broken
  return { least: Math.max(0, answered), most: votesSent }
}

export function checkVotes({ least, most }: Expected, before: Stored, after: Stored): VoteCheck {
  const added = after.rows - before.rows
  const check = (problem: string | null) => ({ problem, acknowledged: least, cutOff: Math.max(0, added - least) })
  if (after.rows !== after.tallies) return check(`TALLIES SAY ${after.tallies}, ROWS ${after.rows}`)
  if (added < least) return check(`${least - added} ACKNOWLEDGED ARE LOST`)
  return check(added > most ? `${added - most} MORE THAN SENT` : null)
}

/** Waits until the requests in flight are done, which is when two reads in a row agree. */
async function settled(subject: Subject): Promise<Stored> {
  const deadline = performance.now() + SETTLE_WITHIN_MS
  let last: Stored = { rows: -1, tallies: -2 }
  for (;;) {
    const now = (await subject.stored()) ?? last
    if (now.rows === now.tallies && now.rows === last.rows) return now
    if (performance.now() > deadline) return now
    last = now
    await Bun.sleep(50)
  }
}

export const isRightSample = ({ votes, failed }: Sample): boolean => failed === 0 && (votes?.problem ?? null) === null

/** The table's summary of the votes of all rounds. */
export function checksOf(samples: readonly Sample[]): string {
  const sum = (pick: (sample: Sample) => number) => samples.reduce((total, sample) => total + pick(sample), 0)
  const failed = sum((sample) => sample.failed)
  if (failed > 0) return `${count(failed)} REQUESTS FAILED`
  const problem = samples.map(({ votes }) => votes?.problem).find((text) => typeof text === 'string')
  if (typeof problem === 'string') return problem
  if (samples.every(({ votes }) => votes === null)) return ''
  const cutOff = sum(({ votes }) => votes?.cutOff ?? 0)
  return `all ${count(sum(({ votes }) => votes?.acknowledged ?? 0))}, +${count(cutOff)} cut off`
}
