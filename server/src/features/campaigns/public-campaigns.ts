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

interface Kept {
  readonly row: string
  readonly items: readonly ReadyItem[]
  readonly json: string
  readonly etag: string
  ready: Ready | null
}

/** Public campaigns, composed from the polls in memory and cached until one of their parts changes. */
export class PublicCampaigns {
  readonly #deps: Deps
  readonly #polls: PollSnapshots
  /** Two bytes a character, once alone and once in a body. */
  readonly #kept = new Cache<string, Kept>(MOST_BYTES, ({ json }) => 4 * json.length)
  /** Pages by their ETags. */
  readonly #pages = new Cache<string, Ready>(MOST_BYTES, ({ body }) => 2 * body.length)

  constructor(deps: Deps, polls: PollSnapshots) {
    this.#deps = deps
    this.#polls = polls
  }

  async find(row: CampaignWithBrand, now: number): Promise<Ready> {
    const [campaign] = (await withPollKeys(this.#deps.engine.db, { rows: [row], next: null })).rows
    const { kept, changesAt } = await this.#make('by id', campaign ?? { row, pollKeys: [] }, now)
    kept.ready ??= readyOf(kept)
    return { ...kept.ready, changesAt }
  }

  async page(slice: Slice<CampaignWithBrand>, now: number): Promise<Answer> {
    const { rows, next } = await withPollKeys(this.#deps.engine.db, slice)
    const made: { kept: Kept; changesAt: number | null }[] = []
    for (const campaign of rows) made.push(await this.#make('in a list', campaign, now))
    const keptPage: KeptList = {
      etag: etagOf(JSON.stringify([made.map(({ kept }) => kept.etag), next])),
      kept: this.#pages,
      make: () => `[${made.map(({ kept }) => kept.json).join(',')}]`,
    }
    return { keptPage, next, changesAt: earliest(made.map(({ changesAt }) => changesAt)) }
  }

  async #make(place: Place, { row, pollKeys }: CampaignWithKeys, now: number) {
    const polls = await this.#find(pollKeys)
    const changesAt = earliest([windowChangesAt(row, now), ...polls.map((poll) => poll.changesAt(now))])
    const items = polls.flatMap((poll) => (place === 'by id' ? poll.step(now) : poll.item(now)) ?? [])
    const around = campaignJson(row, items.length, { deps: this.#deps, now })
    const source = around.join('')
    const key = `${place} ${row.key}`
    const before = this.#kept.get(key)
    if (before?.row === source && isSame(before.items, items)) return { kept: before, changesAt }
    const json = around.join(items.map((item) => item.json).join(','))
    const kept: Kept = {
      row: source,
      items,
      json,
      etag: etagOf([source, ...items.map(({ tag }) => tag)].join('\n')),
      ready: null,
    }
    // Other requests are answered between two campaigns of a page.
    await nextTurn()
    this.#kept.set(key, kept)
    return { kept, changesAt }
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

const isSame = (before: readonly ReadyItem[], items: readonly ReadyItem[]): boolean =>
  before.length === items.length && items.every((item, i) => item === before[i])

function readyOf({ json, etag }: Kept): Ready {
  const body = `{"data":${json}}`
  return { body, etag, packed: new PackedText(body), changesAt: null }
}
