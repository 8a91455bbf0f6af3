// features/votes/audit: counts votes again, behind the requests, and reports tallies that differ.
// It locks nothing and corrects nothing.
import { sql } from 'kysely'
import { MINUTE } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import { byKey, padded, paddedTo, prepared } from '../../../db/prepared.ts'
import type { Db, Engine } from '../../../db/store.ts'

interface AuditedPoll {
  readonly key: number
  readonly id: string
}

const pollsAfter = (db: Db, key: number, limit: number): Promise<AuditedPoll[]> =>
  db
    .selectFrom('polls')
    .select(['key', 'id'])
    .where('key', '>', key)
    .where('deleted_at', 'is', null)
    .orderBy('key')
    .limit(limit)
    .execute()

/** Polls are deleted before their votes are removed. */
const isDeleted = async (db: Db, key: number): Promise<boolean> =>
  (await db.selectFrom('polls').select('key').where('key', '=', key).where('deleted_at', 'is', null).execute())
    .length === 0

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

/** Votes of a poll by their positions: `after` excluded and `upTo` included. */
interface Stretch {
  readonly pollKey: number
  readonly after: number
  readonly upTo: number
}

/** Fills a list of stretches up: no poll has this key. */
const NO_STRETCH: Stretch = { pollKey: 0, after: 0, upTo: 0 }

/** Counts votes, one row for each poll that has some there. The polls are named twice, so that Citus asks only the parts that have one of them. */
async function countStretches(db: Db, stretches: readonly Stretch[]) {
  const list = paddedTo(stretches, NO_STRETCH)
  const { rows } = await sql<{ key: number; votes: number; a: number; places: number }>`${byKey}
    with stretch (key, after, up_to) as (values ${sql.join(list.map(rowOf))})
    select stretch.key, count(*) as votes, count(case when option = 'A' then 1 end) as a,
      cast(sum(position) as bigint) as places
    from stretch cross join votes
    where votes.poll_key = stretch.key and position > stretch.after and position <= stretch.up_to
      and votes.poll_key in (${sql.join(list.map(({ pollKey }) => pollKey))})
    group by stretch.key ${prepared}`.execute(db)
  return rows
}

const rowOf = ({ pollKey, after, upTo }: Stretch) =>
  sql`(cast(${pollKey} as bigint), cast(${after} as bigint), cast(${upTo} as bigint))`

interface Bounds {
  /** Polls in one statement. */
  readonly polls: number
  /** Votes in one statement: SQLite blocks the event loop meanwhile. */
  readonly votes: number
}

const BOUNDS: Bounds = { polls: 500, votes: 4_000 }
/** Longer than any transaction of the ledger: a vote may be committed so long after its time. */
const LATEST = 2 * MINUTE

/**
 * Checks tallies against votes. Both change in one transaction, so a difference means a damaged disk, another program that writes, or a
 * bug. A pass recounts the polls that were voted on since the last one; the first pass recounts all. `tossup verify` recounts all at once.
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
    this.#bounds = { ...BOUNDS, ...bounds }
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

  async *#auditAll(): AsyncGenerator<void> {
    const { db } = this.#engine
    const began = await this.#engine.votingTime(db)
    const existing = new Set<number>()
    for (let after = 0; ; ) {
      const polls = await pollsAfter(db, after, this.#bounds.polls)
      const last = polls.at(-1)
      if (!last) break
      yield* this.#audit(polls)
      for (const { key } of polls) if (this.#drifting.has(key)) existing.add(key)
      after = last.key
    }
    for (const key of this.#drifting.keys()) if (!existing.has(key)) this.#drifting.delete(key)
    this.#since = began
  }

  async *#audit(polls: readonly AuditedPoll[]): AsyncGenerator<void> {
    const heads = (await this.#headsOf(polls)).filter(
      ({ key, updatedAt }) => updatedAt >= this.#since - LATEST || this.#drifting.has(key),
    )
    const counted = new Map(heads.map(({ key }) => [key, { votes: 0, a: 0, places: 0 }]))
    for (const pack of packsOf(heads, this.#bounds.votes)) {
      for (const { key, votes, a, places } of await countStretches(this.#engine.db, pack)) {
        const sum = counted.get(key)
        if (!sum) continue
        sum.votes += votes
        sum.a += a
        sum.places += places
        this.counts.rows += votes
      }
      yield
    }
    for (const head of heads) {
      const count = counted.get(head.key)
      if (count) await this.#judge(head, count)
    }
    yield
  }

  async #headsOf(polls: readonly AuditedPoll[]): Promise<PollHead[]> {
    const { db } = this.#engine
    const keys = polls.map(({ key }) => key)
    const tallies = new Map((await tallyHeads(db, keys)).map((row) => [row.poll_key, row]))
    return Promise.all(
      polls.map(async ({ key, id }) => {
        const tally = tallies.get(key)
        if (!tally) {
          const range = await rangeOf(db, key)
          return { key, id, tally: null, ...range, upTo: range.last ?? 0, updatedAt: Number.POSITIVE_INFINITY }
        }
        const { option_a: optionA, option_b: optionB, updated_at: updatedAt, first, last } = tally
        const total = optionA + optionB
        // Votes beyond the tally are wrong anyway, and their positions may be anything.
        const upTo = Math.min(last ?? 0, total + this.#bounds.votes)
        return { key, id, tally: { optionA, optionB, total }, first, last, upTo, updatedAt }
      }),
    )
  }

  async #judge(head: PollHead, count: Count): Promise<void> {
    const { key, id: pollId, tally, first, last } = head
    if (agree(head, count)) {
      if (this.#drifting.delete(key)) this.#log.warn({ pollId }, 'the tally of a poll matches its votes again')
      return
    }
    // Asked after the votes were counted, because those of a deleted poll are removed.
    if (await isDeleted(this.#engine.db, key)) return
    const { votes: total, a: optionA, places } = count
    const isGapless = total === head.upTo && places === (total * (total + 1)) / 2
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
  readonly updatedAt: number
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

const MOST_STRETCHES = 200

/** The votes of these polls in parts of at most `most`, each of one statement. */
function* packsOf(heads: readonly PollHead[], most: number): Generator<Stretch[]> {
  let pack: Stretch[] = []
  let size = 0
  for (const { key: pollKey, upTo: end } of heads) {
    for (let after = 0; after < end; ) {
      const upTo = Math.min(end, after + most - size)
      pack.push({ pollKey, after, upTo })
      size += upTo - after
      after = upTo
      if (size < most && pack.length < MOST_STRETCHES) continue
      yield pack
      pack = []
      size = 0
    }
  }
  if (pack.length > 0) yield pack
}
