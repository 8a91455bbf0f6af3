import { Cache } from '../../base/cache.ts'
import type { Decision, GroupFacts, Raised } from '../../db/vote-store.ts'
import type { EventType } from '../../events/event-catalogue.ts'
import type { Deps } from '../deps.ts'
import { type Device, respondentIds } from '../people/tokens/device.ts'
import { raiseVotes, type WantedPoll } from './raise-votes.ts'

const MOST_KEPT = 50_000

/** The immutable part of a poll. */
type KnownPoll = Pick<WantedPoll, 'id' | 'slug' | 'brandKey'>
type WantedEvents = WantedPoll['wanted']

/** Makes the events of a decided group. */
export type Raise = (decision: Pick<Decision<unknown>, 'votes'>, facts: GroupFacts) => Raised

const ON_VOTES: readonly EventType[] = [
  'poll.voted',
  'poll.tallies_updated',
  'campaign.step_completed',
  'campaign.completed',
]

/** Tells the ledger which polls' votes raise which events. */
export class VoteEvents {
  readonly #deps: Pick<Deps, 'engine' | 'bus' | 'keys'>
  readonly #polls = new Cache<number, KnownPoll | null>(MOST_KEPT)
  readonly #respondentIds = new Cache<number, (device: Device) => string>(MOST_KEPT)

  constructor(deps: Pick<Deps, 'engine' | 'bus' | 'keys'>) {
    this.#deps = deps
  }

  /** Null where no brand wants events. For most polls that is in memory, so a vote pays nothing. */
  prepare(pollKeys: ReadonlySet<number>): Raise | null | Promise<Raise | null> {
    const wantedBy = this.#peek(pollKeys)
    return wantedBy ? this.#raiseFor(pollKeys, wantedBy) : this.#read(pollKeys)
  }

  #peek(pollKeys: ReadonlySet<number>): Map<number, WantedEvents> | null {
    const wantedBy = new Map<number, WantedEvents>()
    for (const key of pollKeys) {
      const poll = this.#polls.get(key)
      if (poll === undefined) return null
      const wanted = poll && (wantedBy.get(poll.brandKey) ?? this.#deps.bus.peekWanted(poll.brandKey))
      if (poll && !wanted) return null
      if (poll && wanted) wantedBy.set(poll.brandKey, wanted)
    }
    return wantedBy
  }

  async #read(pollKeys: ReadonlySet<number>): Promise<Raise | null> {
    const { bus, engine } = this.#deps
    const unknown = [...pollKeys].filter((key) => this.#polls.get(key) === undefined)
    if (unknown.length > 0) await this.#readPolls(unknown)
    const brandKeys = new Set([...pollKeys].flatMap((key) => this.#polls.get(key)?.brandKey ?? []))
    const wantedBy = brandKeys.size > 0 ? await bus.readWanted(engine.db, [...brandKeys]) : new Map()
    return this.#raiseFor(pollKeys, wantedBy)
  }

  async #readPolls(keys: readonly number[]): Promise<void> {
    const rows = await this.#deps.engine.db
      .selectFrom('polls')
      .select(['key', 'id', 'slug', 'brand_key'])
      .where('key', 'in', keys)
      .execute()
    for (const key of keys) this.#polls.set(key, null)
    for (const { key, id, slug, brand_key } of rows) this.#polls.set(key, { id, slug, brandKey: brand_key })
  }

  #raiseFor(pollKeys: ReadonlySet<number>, wantedBy: ReadonlyMap<number, WantedEvents>): Raise | null {
    const polls = new Map<number, WantedPoll>()
    for (const key of pollKeys) {
      const poll = this.#polls.get(key)
      const wanted = poll && wantedBy.get(poll.brandKey)
      if (!poll || !wanted || !ON_VOTES.some((type) => wanted.has(type))) continue
      polls.set(key, { ...poll, wanted, respondentId: this.#respondentIdsOf(poll.brandKey) })
    }
    return polls.size === 0 ? null : ({ votes }, facts) => raiseVotes(polls, votes, facts)
  }

  #respondentIdsOf(brandKey: number): (device: Device) => string {
    const made = this.#respondentIds.get(brandKey) ?? respondentIds(this.#deps, { brandKey })
    this.#respondentIds.set(brandKey, made)
    return made
  }
}
