import { setImmediate as nextTurn } from 'node:timers/promises'
import { Cache } from '../../base/cache.ts'
import type { Slice } from '../../db/keyset.ts'
import type { Answer, KeptList, Ready } from '../../http/answers/answer.ts'
import { etagOf } from '../../http/answers/caching.ts'
import { PackedText } from '../../http/answers/content-coding.ts'
import type { Deps } from '../deps.ts'
import type { PollSnapshots } from '../polls/snapshots/poll-snapshots.ts'
import type { ReadyItem, Snapshot } from '../polls/snapshots/snapshot.ts'
import { earliest, windowChangesAt } from '../polls/status.ts'
import { campaignJson } from './present-campaign.ts'
import { type CampaignWithBrand, type CampaignWithKeys, withPollKeys } from './queries.ts'

/** Polls that are read from the database in one turn of the event loop. */
const READ_AT_ONCE = 20
const MOST_BYTES = 32 * 1024 * 1024

/** Where a campaign is shown. In a list of the brand, polls that no list of the brand shows are left out. */
type Place = 'by id' | 'in a list'

/** A campaign before its polls are joined to its text. */
interface Made {
  readonly around: [before: string, after: string]
  readonly items: readonly ReadyItem[]
  readonly etag: string
  readonly changesAt: number | null
}

/** Public campaigns, composed from the polls in memory. Their texts are cached by their ETags. */
export class PublicCampaigns {
  readonly #deps: Deps
  readonly #polls: PollSnapshots
  /** Two bytes a character. */
  readonly #kept = new Cache<string, Ready>(MOST_BYTES, ({ body }) => 2 * body.length)

  constructor(deps: Deps, polls: PollSnapshots) {
    this.#deps = deps
    this.#polls = polls
  }

  async find(row: CampaignWithBrand, now: number): Promise<Ready> {
    const [campaign] = (await withPollKeys(this.#deps.engine.db, { rows: [row], next: null })).rows
    const made = await this.#make('by id', campaign ?? { row, pollKeys: [] }, now)
    const { etag, changesAt } = made
    const known = this.#kept.get(etag)
    if (known) return { ...known, changesAt }
    const body = `{"data":${jsonOf(made)}}`
    const ready = { body, etag, packed: new PackedText(body), changesAt }
    this.#kept.set(etag, ready)
    return ready
  }

  async page(slice: Slice<CampaignWithBrand>, now: number): Promise<Answer> {
    const { rows, next } = await withPollKeys(this.#deps.engine.db, slice)
    const made: Made[] = []
    for (const campaign of rows) made.push(await this.#make('in a list', campaign, now))
    const keptPage: KeptList = {
      etag: etagOf(JSON.stringify([made.map(({ etag }) => etag), next])),
      kept: this.#kept,
      make: () => `[${made.map(jsonOf).join(',')}]`,
    }
    return { keptPage, next, changesAt: earliest(made.map(({ changesAt }) => changesAt)) }
  }

  async #make(place: Place, { row, pollKeys }: CampaignWithKeys, now: number): Promise<Made> {
    const polls = await this.#find(pollKeys)
    const changesAt = earliest([windowChangesAt(row, now), ...polls.map((poll) => poll.changesAt(now))])
    const items = polls.flatMap((poll) => (place === 'by id' ? poll.step(now) : poll.item(now)) ?? [])
    const around = campaignJson(row, items.length, { deps: this.#deps, now })
    const etag = etagOf([...around, ...items.map(({ tag }) => tag)].join('\n'))
    return { around, items, etag, changesAt }
  }

  async #find(pollKeys: readonly number[]): Promise<Snapshot[]> {
    const found: Snapshot[] = []
    for (let at = 0; at < pollKeys.length; at += READ_AT_ONCE) {
      const keys = pollKeys.slice(at, at + READ_AT_ONCE)
      const kept = keys.map((key) => this.#polls.peek(key))
      const areKept = kept.every((poll) => poll !== null)
      for (const poll of areKept ? kept : await this.#polls.findAll(keys)) if (poll) found.push(poll)
      if (!areKept) await nextTurn()
    }
    return found
  }
}

const jsonOf = ({ around, items }: Made): string => around.join(items.map(({ json }) => json).join(','))
