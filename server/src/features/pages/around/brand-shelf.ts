// features/pages/around: the brand's head, more of its polls, search, and earlier texts, around the polls of hosted pages.
import { sql } from 'kysely'
import { Cache } from '../../../base/cache.ts'
import { MINUTE } from '../../../base/clock.ts'
import { SingleFlight } from '../../../base/work/single-flight.ts'
import type { PublicBrand } from '../../../events/resources/brand.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { brandOfToken, presentPublicBrand } from '../../brands/brands.ts'
import type { Deps } from '../../deps.ts'
import { countedTags, nextOpening, publicFeed, type TagCount } from '../../polls/lists.ts'
import type { PollSnapshots } from '../../polls/snapshots/poll-snapshots.ts'
import { earliest, statusChangesAt } from '../../polls/status.ts'

/** More than a page shows, because it leaves its own polls out. */
const OPEN_POLLS = 8
const MOST_KEPT = 5_000
/** Votes change which poll is the most popular, and do not empty this memory. */
const KEPT_MS = MINUTE

/** An open public poll, as a link names it. */
export interface ShelfPoll {
  readonly id: string
  readonly shortId: string
  readonly title: string
  readonly labels: readonly [string, string]
}

/** Facts about a brand that its pages show beside their subject. */
export interface Shelf {
  readonly brandKey: number
  readonly brand: PublicBrand
  /** Newest first. */
  readonly open: readonly ShelfPoll[]
  /** The internal key of the open public poll with the most visible votes, or of the newest if none has any. */
  readonly featured: number | null
  /** The most used ones. */
  readonly tags: readonly TagCount[]
  /** Equal while the brand and its open polls are. */
  readonly tag: string
  readonly changes: number
  readonly keptUntil: number
  readonly changesAt: number | null
}

/** Shelves in memory: read again when a poll of the brand or the brand changes, by the clock, and after a minute. */
export class BrandShelves {
  readonly #deps: Deps
  readonly #polls: PollSnapshots
  readonly #kept = new Cache<number, Shelf>(MOST_KEPT)
  readonly #loading = new SingleFlight<string, Shelf>()

  constructor(deps: Deps, polls: PollSnapshots) {
    this.#deps = deps
    this.#polls = polls
  }

  /** Null if a database read would be needed. */
  peek(brandKey: number, now: number): Shelf | null {
    const kept = this.#kept.get(brandKey)
    return kept && kept.changes >= this.#polls.changedAt(brandKey) && now < kept.keptUntil ? kept : null
  }

  find(brandKey: number, now: number): Promise<Shelf> | Shelf {
    const { changes } = this.#polls
    return (
      this.peek(brandKey, now) ??
      this.#loading.run(`${changes} ${brandKey}`, async () => {
        const shelf = await this.#read(brandKey, changes, now)
        this.#kept.set(brandKey, shelf)
        return shelf
      })
    )
  }

  async #read(brandKey: number, changes: number, now: number): Promise<Shelf> {
    const { db } = this.#deps.engine
    const ofBrand = (limit: number) => ({ brandKey, paging: { limit, after: null }, now })
    const { rows } = await publicFeed(db, ofBrand(OPEN_POLLS), { status: 'open', order: 'recent' })
    const [popular] = (await publicFeed(db, ofBrand(1), { status: 'open', order: 'popular' })).rows
    const brand = presentPublicBrand(this.#deps, await brandOfToken(db, brandKey))
    const changesAt = earliest([
      await nextOpening(db, brandKey, now),
      ...[...rows, ...(popular ? [popular] : [])].map((row) => statusChangesAt(row, now)),
    ])
    const open = rows.map(({ id, short_id, title, label_a, label_b }) => ({
      id,
      shortId: short_id,
      title,
      labels: [label_a, label_b] as const,
    }))
    return {
      brandKey,
      brand,
      open,
      featured: popular?.key ?? null,
      tags: await countedTags(db, brandKey, now),
      tag: etagOf(JSON.stringify([brand, open])),
      changes,
      changesAt,
      keptUntil: Math.min(now + KEPT_MS, changesAt ?? Number.POSITIVE_INFINITY),
    }
  }
}

/** The brand of a poll that was public and is deleted. A draft, and a private poll by a name that one can guess, must not be told from none. */
export const findBrandOfGonePoll = ({ engine: { db } }: Pick<Deps, 'engine'>, reference: string) =>
  db
    .selectFrom('polls')
    .innerJoin('brands', 'brands.key', 'polls.brand_key')
    .select(['brands.slug', sql<string>`coalesce(brands.display_name, brands.name)`.as('name')])
    .where((either) =>
      either.or([
        either('polls.short_id', '=', reference),
        either.and([either('polls.slug', '=', reference), either('polls.is_private', '=', 0)]),
      ]),
    )
    .where('polls.is_draft', '=', 0)
    .where('polls.deleted_at', 'is not', null)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

/** The brand of a published campaign that is deleted, until the worker has removed its respondents. */
export const findBrandOfGoneCampaign = ({ engine: { db } }: Pick<Deps, 'engine'>, id: string) =>
  db
    .selectFrom('campaigns')
    .innerJoin('brands', 'brands.key', 'campaigns.brand_key')
    .select(['brands.slug', sql<string>`coalesce(brands.display_name, brands.name)`.as('name')])
    .where('campaigns.id', '=', id)
    .where('campaigns.state', '=', 'published')
    .where('campaigns.deleted_at', 'is not', null)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()
