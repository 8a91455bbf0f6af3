import { inBatches } from '../../base/in-batches.ts'
import type { Db, Engine } from '../../db/store.ts'
import { campaignsToCount, countFunnel } from './count-funnel.ts'

const SWEPT = 100
const POLLS_AT_ONCE = 500

/** Keeps the funnels of campaigns in step with votes, in the background: a vote must not read other votes of its device. */
export class Funnels {
  readonly #engine: Engine
  readonly #isPressed: () => boolean
  readonly #polls = new Set<number>()
  readonly #campaigns = new Set<number>()
  readonly #changed = new Set<string>()
  #sweptTo = -1

  constructor(engine: Engine, { isPressed }: { isPressed: () => boolean }) {
    this.#engine = engine
    this.#isPressed = isPressed
  }

  /** Polls that were voted on or changed. */
  notePolls(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#polls.add(key)
  }

  /** By its id: a campaign that was changed. */
  noteCampaign(id: string): void {
    this.#changed.add(id)
  }

  /** Campaigns in which votes from before were read. */
  noteWalked(campaignKeys: Iterable<number>): void {
    for (const key of campaignKeys) this.#campaigns.add(key)
  }

  /** True if it stopped before all votes were counted. While many votes arrive it takes one step only. */
  async run(): Promise<boolean> {
    await this.#noteCampaigns()
    return inBatches(async () => {
      const [key] = this.#campaigns
      if (key === undefined) return false
      this.#campaigns.delete(key)
      const isMore = await countFunnel(this.#engine, key).catch((error) => {
        this.#campaigns.add(key)
        throw error
      })
      // To the end of the queue, so that a large campaign delays no other one.
      if (isMore) this.#campaigns.add(key)
      return this.#campaigns.size > 0 && !this.#isPressed()
    })
  }

  async #noteCampaigns(): Promise<void> {
    await this.#noteChanged()
    const polls = [...this.#polls.keys().take(POLLS_AT_ONCE)]
    if (polls.length === 0) return
    const members = await this.#engine.db
      .selectFrom('campaign_polls')
      .select('campaign_key')
      .distinct()
      .where('poll_key', 'in', polls)
      .execute()
    for (const { campaign_key } of members) this.#campaigns.add(campaign_key)
    for (const key of polls) this.#polls.delete(key)
  }

  async #noteChanged(): Promise<void> {
    const ids = [...this.#changed].slice(0, POLLS_AT_ONCE)
    if (ids.length === 0) return
    this.noteWalked(await keysOf(this.#engine.db, ids))
    for (const id of ids) this.#changed.delete(id)
  }

  /** Walks through all campaigns: finds changes of other processes, and what a stop left uncounted. `run` counts them. */
  async sweep(): Promise<void> {
    const { db } = this.#engine
    const swept = await db
      .selectFrom('campaigns')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .where('deleted_at', 'is', null)
      .orderBy('key')
      .limit(SWEPT)
      .execute()
    this.#sweptTo = swept.length < SWEPT ? -1 : (swept.at(-1)?.key ?? -1)
    const keys = swept.map(({ key }) => key)
    for (const key of await campaignsToCount(db, keys)) this.#campaigns.add(key)
  }
}

async function keysOf(db: Db, ids: readonly string[]): Promise<number[]> {
  const found = await db
    .selectFrom('campaigns')
    .select('key')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return found.map(({ key }) => key)
}
