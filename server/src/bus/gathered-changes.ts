import type { Db } from '../db/store.ts'
import type { PublicChange } from './changes.ts'
import { surrogateKeyOf } from './surrogate-keys.ts'

/** Beyond this, the whole brand is purged: every answer that shows its polls also carries its key. */
const MOST_POLLS = 1_000

/** Changes that wait to be purged, each once. */
export class GatheredChanges {
  readonly #brandOfPoll = new Map<number, number>()
  readonly #brandOfCampaign = new Map<string, number>()
  readonly #brands = new Set<number>()

  add(change: PublicChange): void {
    const { kind, brandKey } = change
    const areMany = this.#brandOfPoll.size + this.#brandOfCampaign.size >= MOST_POLLS
    if (kind === 'brand' || areMany) this.#brands.add(brandKey)
    else if (kind === 'poll') this.#brandOfPoll.set(change.pollKey, brandKey)
    else this.#brandOfCampaign.set(change.campaignId, brandKey)
  }

  get size(): number {
    return this.#brandOfPoll.size + this.#brandOfCampaign.size + this.#brands.size
  }

  /** Also for what is deleted: rows of polls and brands stay. */
  async surrogateKeys(db: Db): Promise<string[]> {
    const isLeft = ([, brandKey]: readonly [unknown, number]) => !this.#brands.has(brandKey)
    const polls = [...this.#brandOfPoll].filter(isLeft)
    const campaigns = [...this.#brandOfCampaign].filter(isLeft)
    const listing = new Set([...polls, ...campaigns].map(([, brandKey]) => brandKey))
    const ids = await idsOf(
      db,
      polls.map(([pollKey]) => pollKey),
    )
    const slugs = await slugsOf(db, [...listing, ...this.#brands])
    return [
      ...ids.map(surrogateKeyOf.poll),
      ...campaigns.map(([campaignId]) => surrogateKeyOf.campaign(campaignId)),
      ...slugs.map(({ key, slug }) => (listing.has(key) ? surrogateKeyOf.lists : surrogateKeyOf.brand)(slug)),
    ]
  }
}

async function idsOf(db: Db, pollKeys: readonly number[]): Promise<string[]> {
  if (pollKeys.length === 0) return []
  const rows = await db.selectFrom('polls').select('id').where('key', 'in', pollKeys).execute()
  return rows.map(({ id }) => id)
}

const slugsOf = (db: Db, brandKeys: readonly number[]) =>
  db.selectFrom('brands').select(['key', 'slug']).where('key', 'in', brandKeys).execute()
