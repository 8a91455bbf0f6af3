import { sql } from 'kysely'
import { MINUTE } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { inBatches } from '../../base/work/jobs.ts'
import { padded, prepared } from '../../db/prepared.ts'
import type { Db, Engine } from '../../db/store.ts'

interface Bounds {
  /** Polls that are looked at together. */
  readonly polls: number
  /** Votes in one statement: SQLite blocks the event loop meanwhile. */
  readonly votes: number
}

/** Longer than any transaction of the ledger: a vote may be committed so long after its time. */
const LATEST = 2 * MINUTE

/**
 * Checks tallies against votes. Both change in one transaction, so a difference means a damaged disk, another program that writes, or a
 * bug. A pass recounts the polls that were voted on since the last one; the first pass recounts all. It locks and corrects nothing.
 */
export class TallyAuditor {
  readonly #engine: Engine
  readonly #log: Log
  readonly #bounds: Bounds
  /** The last report about each poll that differs. */
  readonly #drifting = new Map<number, string>()
  #pass: AsyncGenerator<void> | null = null
  /** When the last pass began, by the clock of the votes. */
  #since = Number.NEGATIVE_INFINITY
  readonly counts = { rows: 0, passes: 0 }
  /** When the last pass ended; 0 before the first. */
  passedAt = 0

  constructor({ engine, log }: { engine: Engine; log: Log }, bounds: Partial<Bounds> = {}) {
    this.#engine = engine
    this.#log = log
    this.#bounds = { polls: 500, votes: 4_000, ...bounds }
  }

  /** The number of polls whose tally disagrees with their votes. */
  get drift(): number {
    return this.#drifting.size
  }

  /** True if its time ran out: the next run continues the pass. */
  async run(now: number): Promise<boolean> {
    const pass = this.#pass ?? this.#auditAll()
    // A pass that fails is over, and the next one covers the same time.
    this.#pass = null
    const isMore = await inBatches(async () => !(await pass.next()).done)
    if (isMore) this.#pass = pass
    else {
      this.counts.passes++
      this.passedAt = now
    }
    return isMore
  }

  /** Yields between statements, so that requests pass in between. */
  async *#auditAll(): AsyncGenerator<void> {
    const { db } = this.#engine
    const began = await this.#engine.votingTime(db)
    for (let after = 0; ; ) {
      const polls = await pollsAfter(db, after, this.#bounds.polls)
      const last = polls.at(-1)
      if (!last) break
      for (const head of await this.#headsOf(polls)) yield* this.#recount(head)
      yield
      after = last.key
    }
    for (const key of this.#drifting.keys()) if (await isDeleted(db, key)) this.#drifting.delete(key)
    this.#since = began
  }

  /** Those of these polls that were voted on since the last pass, that differ, or that have lost their tally. */
  async #headsOf(polls: readonly AuditedPoll[]): Promise<PollHead[]> {
    const { db } = this.#engine
    const keys = polls.map(({ key }) => key)
    const tallies = new Map((await tallyHeads(db, keys)).map((row) => [row.poll_key, row]))
    const heads: PollHead[] = []
    for (const { key, id } of polls) {
      const row = tallies.get(key)
      if (row && row.updated_at < this.#since - LATEST && !this.#drifting.has(key)) continue
      const { first, last } = row ?? (await rangeOf(db, key))
      const tally = row && { optionA: row.option_a, optionB: row.option_b, total: row.option_a + row.option_b }
      // Votes beyond the tally are wrong anyway, and their positions may be anything.
      const most = tally ? tally.total + this.#bounds.votes : Number.POSITIVE_INFINITY
      heads.push({ key, id, tally: tally ?? null, first, last, upTo: Math.min(last ?? 0, most) })
    }
    return heads
  }

  async *#recount(head: PollHead): AsyncGenerator<void> {
    const { db } = this.#engine
    const count: Count = { votes: 0, a: 0, places: 0 }
    for (let after = 0; after < head.upTo; after += this.#bounds.votes) {
      const upTo = Math.min(after + this.#bounds.votes, head.upTo)
      const part = await countPart(db, { pollKey: head.key, after, upTo })
      count.votes += part.votes
      count.a += part.a
      count.places += part.places
      this.counts.rows += part.votes
      yield
    }
    if (agree(head, count)) {
      if (this.#drifting.delete(head.key)) {
        this.#log.warn({ pollId: head.id }, 'the tally of a poll matches its votes again')
      }
      return
    }
    // Asked after the votes were counted, because those of a deleted poll are removed.
    if (!(await isDeleted(db, head.key))) this.#report(head, count)
  }

  #report({ key, id: pollId, tally, first, last, upTo }: PollHead, { votes: total, a: optionA, places }: Count): void {
    const isGapless = total === upTo && places === (total * (total + 1)) / 2
    const votes = { optionA, optionB: total - optionA, total }
    const findings = { tally, votes, positions: { first, last, isGapless } }
    const said = JSON.stringify(findings)
    if (this.#drifting.get(key) === said) return
    this.#drifting.set(key, said)
    this.#log.error({ pollId, ...findings }, 'THE TALLY OF A POLL DIFFERS FROM ITS VOTES')
  }
}

interface PollHead extends AuditedPoll {
  /** Null if the tally is lost: then nobody can vote. */
  readonly tally: { readonly optionA: number; readonly optionB: number; readonly total: number } | null
  readonly first: number | null
  readonly last: number | null
  /** Votes are counted up to this position. */
  readonly upTo: number
}

interface Count {
  votes: number
  a: number
  /** The sum of the positions, which shows a gap beside a repeat. */
  places: number
}

function agree({ tally, first, last }: PollHead, { votes, a, places }: Count): boolean {
  if (tally === null || votes !== tally.total || a !== tally.optionA) return false
  return votes === 0 ? last === null : first === 1 && last === votes && places === (votes * (votes + 1)) / 2
}

type AuditedPoll = Awaited<ReturnType<typeof pollsAfter>>[number]

const pollsAfter = (db: Db, key: number, limit: number) =>
  db
    .selectFrom('polls')
    .select(['key', 'id'])
    .where('key', '>', key)
    .where('deleted_at', 'is', null)
    .orderBy('key')
    .limit(limit)
    .execute()

/** Polls are deleted before their votes are removed. */
async function isDeleted(db: Db, key: number): Promise<boolean> {
  const poll = db.selectFrom('polls').select('key').where('key', '=', key).where('deleted_at', 'is', null)
  return (await poll.executeTakeFirst()) === undefined
}

const firstPosition = sql<number | null>`min(position)`
const lastPosition = sql<number | null>`max(position)`

/** The tallies of polls and the range of their votes' positions, from one snapshot. */
const tallyHeads = (db: Db, keys: readonly number[]) =>
  db
    .selectFrom('tallies')
    .select(['tallies.poll_key', 'tallies.option_a', 'tallies.option_b', 'tallies.updated_at'])
    // Looked up for each tally, not for each poll: on Citus both are on one worker.
    .select(({ selectFrom }) => {
      const votes = selectFrom('votes').whereRef('votes.poll_key', '=', 'tallies.poll_key')
      return [votes.select(firstPosition.as('first')).as('first'), votes.select(lastPosition.as('last')).as('last')]
    })
    .where('tallies.poll_key', 'in', padded(keys))
    .modifyEnd(prepared)
    .execute()

const rangeOf = (db: Db, pollKey: number) =>
  db
    .selectFrom('votes')
    .select([firstPosition.as('first'), lastPosition.as('last')])
    .where('poll_key', '=', pollKey)
    .executeTakeFirstOrThrow()

const countPart = (db: Db, { pollKey, after, upTo }: { pollKey: number; after: number; upTo: number }) =>
  db
    .selectFrom('votes')
    .select([
      sql<number>`count(*)`.as('votes'),
      sql<number>`count(case when option = 'A' then 1 end)`.as('a'),
      sql<number>`cast(coalesce(sum(position), 0) as bigint)`.as('places'),
    ])
    .where('poll_key', '=', pollKey)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .modifyEnd(prepared)
    .executeTakeFirstOrThrow()
