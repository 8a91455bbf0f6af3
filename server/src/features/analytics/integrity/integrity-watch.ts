import { DAY, HOUR } from '../../../base/clock.ts'
import { newSalt, saltedHash } from '../../../base/secrets.ts'
import { Semaphore } from '../../../base/work/semaphore.ts'
import type { Db, Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { CountedVote, RefusalReason, VoteWatch } from '../../votes/vote-watch.ts'
import type { TimeSpan } from '../buckets.ts'
import type { Hour } from './assess.ts'
import { COUNT_NAMES, type HourCounts, PollHour } from './poll-hour.ts'

/** Other writers wait for a transaction on SQLite. */
const BATCH = 100

/** Adds what the hours have counted since they were last stored. */
async function storeHours(engine: Engine, hours: readonly PollHour[]): Promise<void> {
  // Two servers that write the same rows in different orders could lock each other out.
  const sorted = hours.toSorted((left, right) => left.pollKey - right.pollKey || left.at - right.at)
  for (let from = 0; from < sorted.length; from += BATCH) {
    const batch = sorted.slice(from, from + BATCH).map((hour) => ({ hour, ...hour.pending() }))
    await transaction(engine, (tx) => addHours(tx, batch))
    for (const { noteStored } of batch) noteStored()
  }
}

async function addHours(tx: Tx, batch: readonly { hour: PollHour; added: HourCounts }[]): Promise<void> {
  // A deleted poll is emptied by a job, and must stay empty.
  const polls = await tx
    .selectFrom('polls')
    .select('key')
    .where('key', 'in', [...new Set(batch.map(({ hour }) => hour.pollKey))])
    .where('deleted_at', 'is', null)
    .execute()
  const kept = new Set(polls.map(({ key }) => key))
  for (const { hour, added } of batch) {
    if (!kept.has(hour.pollKey)) continue
    await tx
      .insertInto('vote_integrity')
      .values({ poll_key: hour.pollKey, at: hour.at, ...added })
      .onConflict((conflict) =>
        conflict
          .columns(['poll_key', 'at'])
          .doUpdateSet((eb) =>
            Object.fromEntries(
              COUNT_NAMES.map((name) => [name, eb(`vote_integrity.${name}`, '+', eb.ref(`excluded.${name}`))]),
            ),
          ),
      )
      .execute()
  }
}

/** A poll beyond these is not watched until others have been stored; the log says so. */
const MOST_HOURS = 20_000

/**
 * Counts where votes come from. Networks are in memory alone, as hashes with a salt that is replaced each day and stored
 * nowhere; only how many votes the largest of them have is stored.
 */
export class IntegrityWatch implements VoteWatch {
  readonly #deps: Deps
  /** The present hour of each poll. */
  readonly #hours = new Map<number, PollHour>()
  /** Earlier hours that are not stored yet. */
  #ended: PollHour[] = []
  #salt = { day: -1, salt: newSalt() }
  #unwatched = 0
  readonly #turn = new Semaphore(1)
  /** Polls with changes that no alert has looked at yet. */
  readonly #suspects = new Set<number>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  counted(pollKey: number, { networks, isSolved, hasOrigin }: CountedVote): void {
    const now = this.#deps.clock.now()
    const network = this.#nameOf(subscriberOf(networks), now)
    this.#hourOf(pollKey, now)?.count({ network, isSolved, hasOrigin }, now)
  }

  refused(pollKey: number, reason: RefusalReason): void {
    this.#hourOf(pollKey, this.#deps.clock.now())?.refuse(reason)
  }

  /** Adds new counts to the database. One run at a time, so that no count is added twice. */
  store(): Promise<void> {
    return this.#turn.run(() => this.#storeNow())
  }

  /** The polls whose counts have changed since the last call. */
  takeSuspects(): number[] {
    const suspects = [...this.#suspects]
    this.#suspects.clear()
    return suspects
  }

  async #storeNow(): Promise<void> {
    const changed = [...this.#ended, ...this.#hours.values()].filter(({ isChanged }) => isChanged)
    for (const { pollKey } of changed) this.#suspects.add(pollKey)
    await storeHours(this.#deps.engine, changed)
    this.#ended = this.#ended.filter(({ isChanged }) => isChanged)
    const hour = hourAt(this.#deps.clock.now())
    for (const [pollKey, { at, isChanged }] of this.#hours) if (at !== hour && !isChanged) this.#hours.delete(pollKey)
    if (this.#unwatched === 0) return
    this.#deps.log.warn(
      { votes: this.#unwatched },
      'votes on too many polls at once: some are missing in integrity reports',
    )
    this.#unwatched = 0
  }

  #hourOf(pollKey: number, now: number): PollHour | null {
    const at = hourAt(now)
    const known = this.#hours.get(pollKey)
    if (known?.at === at) return known
    if (known?.isChanged) this.#ended.push(known)
    if (!known && this.#hours.size >= MOST_HOURS) {
      this.#unwatched++
      return null
    }
    const begun = new PollHour(pollKey, at)
    this.#hours.set(pollKey, begun)
    return begun
  }

  #nameOf(network: string, now: number): number {
    const day = Math.floor(now / DAY)
    if (this.#salt.day !== day) this.#salt = { day, salt: newSalt() }
    return saltedHash(network, this.#salt.salt)
  }
}

export const watchedHours = (db: Db, pollKey: number, { from, to }: TimeSpan): Promise<Hour[]> =>
  db
    .selectFrom('vote_integrity')
    .selectAll()
    .where('poll_key', '=', pollKey)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .execute()

const hourAt = (now: number): number => now - (now % HOUR)

/** The largest network that one subscriber may hold: an IPv4 address, or a /48 of IPv6. */
const subscriberOf = (networks: CountedVote['networks']): string =>
  networks.length > 2 ? (networks.at(-1) ?? networks[0]) : networks[0]
