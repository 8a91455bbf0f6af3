import { inBatches } from '../../base/in-batches.ts'
import type { Engine } from '../../db/store.ts'
import { countFunnel } from './count-funnel.ts'

const SWEPT = 100
const POLLS_AT_ONCE = 500

/** Keeps the funnels of campaigns in step with votes, in the background: a vote must not read other votes of its device. */
export class Funnels {
  readonly #engine: Engine
  readonly #sweeps: boolean
  readonly #isPressed: () => boolean
  readonly #polls = new Set<number>()
  readonly #campaigns = new Set<number>()
  #sweptTo = -1

  /** Without `sweeps` another process walks through all campaigns. */
  constructor(engine: Engine, { isPressed, sweeps = true }: { isPressed: () => boolean; sweeps?: boolean }) {
    this.#engine = engine
    this.#sweeps = sweeps
    this.#isPressed = isPressed
  }

  /** Polls that were voted on or changed. */
  notePolls(pollKeys: Iterable<number>): void {
    for (const key of pollKeys) this.#polls.add(key)
  }

  /** True if it stopped before all votes were counted. While many votes arrive it takes one step only. */
  async run(): Promise<boolean> {
    await this.#noteNext()
    return inBatches(async () => {
      const [key] = this.#campaigns
      if (key === undefined) return false
      this.#campaigns.delete(key)
      // To the end of the queue, so that a large campaign delays no other one.
      if (await countFunnel(this.#engine, key)) this.#campaigns.add(key)
      return this.#campaigns.size > 0 && !this.#isPressed()
    })
  }

  /** Also walks through all campaigns: finds changes of other processes, and what a stop left uncounted. */
  async #noteNext(): Promise<void> {
    const { db } = this.#engine
    const polls = [...this.#polls.keys().take(POLLS_AT_ONCE)]
    if (polls.length > 0) {
      const members = await db
        .selectFrom('campaign_polls')
        .select('campaign_key')
        .distinct()
        .where('poll_key', 'in', polls)
        .execute()
      for (const { campaign_key } of members) this.#campaigns.add(campaign_key)
      for (const key of polls) this.#polls.delete(key)
    }
    if (!this.#sweeps) return
    const swept = await db
      .selectFrom('campaigns')
      .select('key')
      .where('key', '>', this.#sweptTo)
      .where('deleted_at', 'is', null)
      .orderBy('key')
      .limit(SWEPT)
      .execute()
    this.#sweptTo = swept.length < SWEPT ? -1 : (swept.at(-1)?.key ?? -1)
    for (const { key } of swept) this.#campaigns.add(key)
  }
}
