import type { Db } from '../../../db/store.ts'
import type { Counted } from '../../../db/vote-store.ts'
import type { PublicPoll } from '../../../events/resources/poll.ts'
import type { Ready } from '../../../http/answers/answer.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { PackedText } from '../../../http/answers/content-coding.ts'
import { storedTheme } from '../../brands/themes/present-theme.ts'
import type { Deps } from '../../deps.ts'
import { isListedAt } from '../lists.ts'
import { presentListItem, presentPollTallies, presentPublicPoll } from '../present-poll.ts'
import { labelsOf, type PollLabels, type PollRow, pollsByKey } from '../queries.ts'
import { holdsAt, statusChangesAt } from '../status.ts'
import { type Revision, revisionsOf } from './revisions.ts'

export type View = 'poll' | 'tallies'

/** The poll as a list item. */
export interface ReadyItem {
  readonly json: string
  /** Changes with `json`: a list of many items is tagged by their tags, without reading all of it. */
  readonly tag: string
  readonly changesAt: number | null
  readonly madeAt: number
}

/** A public poll in memory, with the answers that were requested so far. */
export class Snapshot {
  readonly #deps: Deps
  readonly #row: ReadPoll['row']
  readonly #labels: PollLabels
  /** Titles and labels from before each change after the first vote, newest first. */
  readonly revisions: readonly Revision[]
  #ready: Partial<Record<View, Ready & { readonly madeAt: number }>> = {}
  #item: ReadyItem | null = null
  #embedOrigins: readonly string[] | null = null

  constructor(deps: Deps, { row, labels, revisions }: ReadPoll) {
    this.#deps = deps
    this.#row = row
    this.#labels = labels
    this.revisions = revisions
  }

  /** True if the poll was read again and is unchanged. Then the answers made so far still hold. */
  isSame({ row, labels }: ReadPoll): boolean {
    return Bun.deepEquals(row, this.#row) && Bun.deepEquals(labels, this.#labels)
  }

  get brandKey(): number {
    return this.#row.brand_key
  }

  get brand(): { readonly slug: string; readonly name: string } {
    return { slug: this.#row.brand_slug, name: this.#row.brand_name }
  }

  get challenge(): PublicPoll['challenge'] {
    return this.#row.challenge as PublicPoll['challenge']
  }

  /** Null where every device may vote. */
  get codeListKey(): number | null {
    return this.#row.code_list_key
  }

  /** Votes may have to meet a condition before the ledger takes them. Where they do not, nothing else needs to be read. */
  get hasConditions(): boolean {
    return this.#row.challenge !== 'off' || this.embedOrigins.length > 0
  }

  /** Where votes may come from; empty: from anywhere. */
  get embedOrigins(): readonly string[] {
    this.#embedOrigins ??= storedTheme(this.#row).embedOrigins ?? []
    return this.#embedOrigins
  }

  get shortId(): string {
    return this.#row.short_id
  }

  count(counted: Counted): void {
    if (counted.version <= this.#row.version) return
    // In place: votes come far more often than the poll is shown, and a copy has forty fields.
    Object.assign(this.#row, counted)
    this.#ready = {}
    this.#item = null
  }

  poll(now: number): Ready {
    const kept = this.peek('poll', now)
    if (kept) return kept
    const shown = presentPublicPoll(this.#row, this.#labels, { deps: this.#deps, viewer: 'public', now })
    return this.#make('poll', now, shown)
  }

  tallies(now: number): Ready {
    return this.peek('tallies', now) ?? this.#make('tallies', now, presentPollTallies(this.#row, 'public', now))
  }

  isListed(now: number): boolean {
    return isListedAt(this.#row, now)
  }

  /** In a public list of the brand; null when the poll is not listed. */
  item(now: number): ReadyItem | null {
    return this.isListed(now) ? this.#asItem(now) : null
  }

  /** In a campaign that is read by its id; null when the poll is archived. */
  step(now: number): ReadyItem | null {
    return this.#row.archived_at === null ? this.#asItem(now) : null
  }

  /** The next moment at which the clock changes what is shown of the poll. */
  changesAt(now: number): number | null {
    return statusChangesAt(this.#row, now)
  }

  /** The same object while its content is the same. */
  #asItem(now: number): ReadyItem {
    if (this.#item && holdsAt(this.#item, now)) return this.#item
    const json = JSON.stringify(presentListItem(this.#row, { deps: this.#deps, viewer: 'public', now }))
    this.#item = { json, tag: etagOf(json), changesAt: this.changesAt(now), madeAt: now }
    return this.#item
  }

  /** An answer that was requested before and is still valid. */
  peek(view: View, now: number): Ready | null {
    const kept = this.#ready[view]
    return kept && holdsAt(kept, now) ? kept : null
  }

  #make(view: View, now: number, data: unknown): Ready {
    const body = JSON.stringify({ data })
    const changesAt = this.changesAt(now)
    const ready = { body, etag: etagOf(body), packed: new PackedText(body), changesAt, madeAt: now }
    this.#ready[view] = ready
    return ready
  }
}

/** Polls in one statement: their rows are parsed in one turn of the event loop, which votes wait for. */
const BATCH = 200
/** A batch takes one connection of the pool at a time. */
const MOST_BATCHES = 4

interface ReadPoll {
  readonly row: PollRow
  readonly labels: PollLabels
  readonly revisions: readonly Revision[]
}

/** Null for a missing poll. */
type PendingRead = PromiseWithResolvers<ReadPoll | null>

/**
 * Reads polls with their labels. Polls that are wanted in the same turn of the event loop, or while `MOST_BATCHES` are under
 * way, share a statement. Each reading begins after the call that wants it.
 */
export class PollReader {
  readonly #db: Db
  #wanted = new Map<number, PendingRead>()
  #batches = 0
  #isScheduled = false

  constructor(db: Db) {
    this.#db = db
  }

  read(pollKey: number): Promise<ReadPoll | null> {
    const known = this.#wanted.get(pollKey)
    if (known) return known.promise
    const wanted: PendingRead = Promise.withResolvers()
    this.#wanted.set(pollKey, wanted)
    this.#schedule()
    return wanted.promise
  }

  #schedule(): void {
    if (this.#isScheduled || this.#batches >= MOST_BATCHES || this.#wanted.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#readBatch()
      this.#schedule()
    })
  }

  async #readBatch(): Promise<void> {
    const batch = new Map(this.#wanted.entries().take(BATCH))
    for (const key of batch.keys()) this.#wanted.delete(key)
    this.#batches++
    try {
      const { rows, labels, revisions } = await this.#db.connection().execute((one) => readAll(one, [...batch.keys()]))
      for (const [key, wanted] of batch) {
        const row = rows.get(key)
        wanted.resolve(row ? { row, labels: labels(key), revisions: revisions(key) } : null)
      }
    } catch (error) {
      for (const wanted of batch.values()) wanted.reject(error)
    } finally {
      this.#batches--
      this.#schedule()
    }
  }
}

async function readAll(db: Db, keys: readonly number[]) {
  const rows = new Map((await pollsByKey(db, keys)).map((row) => [row.key, row]))
  const revised = [...rows.values()].filter((row) => row.revised_at !== null).map(({ key }) => key)
  return { rows, labels: await labelsOf(db, [...rows.keys()]), revisions: await revisionsOf(db, revised) }
}
