import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { ArchiveManifest, BrandHead } from '../../backup/archive.ts'
import { openArchive } from '../../backup/archive-reader.ts'
import type { Row } from '../../backup/table-rows.ts'
import { type Clock, HOUR } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Isolation } from '../../base/isolation/isolated-work.ts'
import type { Config } from '../../config/config.ts'
import { migrationNames } from '../../db/migrate.ts'
import { fillNewDatabase, type NewDatabase } from '../../db/snapshots/new-database.ts'
import type { Engine, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { isReservedSlug } from '../../events/resources/brand.ts'
import { isSameLabel } from '../../events/resources/poll.ts'
import { StylesheetReader } from '../../features/brands/themes/stylesheet-reader.ts'
import { foldedTitle } from '../../features/campaigns/create-campaign.ts'
import { foldedName } from '../../features/codes/lists.ts'
import { brandSubject } from '../../features/people/tokens/queries.ts'
import { titleSort } from '../../features/polls/queries.ts'
import { publicUrl } from '../../features/uploads/files.ts'
import { sourceKeys } from '../../files/file-keys.ts'
import type { FileStore } from '../../files/file-store.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { Decoding } from '../../files/pictures/decoding.ts'
import { operatorWrite } from '../with-database.ts'
import { ArchivePictures } from './archive-pictures.ts'
import { checkBrand } from './check-content.ts'
import { archiveFault, placeOf } from './check-row.ts'
import { assertFilesUrl, checkedAvatar, checkedStyles, checkedTheme } from './checked-brand.ts'
import { BRAND_TABLES, type BrandTable } from './export-brand.ts'
import { assertKnownSchema, loadContent } from './load-content.ts'

const ROWS_AT_ONCE = 500

export interface Imported {
  readonly brandId: string
  readonly slug: string
  readonly counts: Readonly<Record<string, number>>
  readonly hasVotes: boolean
  /** Slugs of polls with one label for both options, which earlier versions accepted. They are imported as they are. */
  readonly sameLabels: readonly string[]
}

/**
 * Reads the whole archive into a temporary database and checks it there, because an archive can come from anybody; then one
 * transaction adds everything, or nothing. Ids, slugs and links of polls and campaigns stay as they were.
 */
export async function importBrand(
  place: { config: Config; engine: Engine; clock: Clock; isolation: Isolation },
  source: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const { config, engine, isolation } = place
  const archive = await openArchive<BrandHead, ArchiveManifest>(source, 'brand')
  const { head } = archive
  assertKnownSchema(head)
  assertFilesUrl(head.filesUrl)
  const folder = mkdtempSync(join(tmpdir(), 'tossup-import-'))
  const store = openFilesBeside(config)
  const isOwned = (key: string) => hasRow(engine, key)
  const reader = new StylesheetReader(isolation)
  const pictures = new ArchivePictures({ store, decoding: new Decoding(isolation), isOwned, mustBeSound: true })
  const prefixes = { before: head.filesUrl, now: publicUrl({ config }, '') }
  try {
    return await fillNewDatabase({ folder }, migrationNames(), async (database) => {
      const { counts } = await loadContent(archive, {
        database,
        tables: BRAND_TABLES,
        isForeign: true,
        pictures,
        dress: {
          brands: (row, at) => checkedTheme(checkedAvatar(checkedSlug(row, at), { prefixes, place: at }), at),
          theme_styles: (row, at) => checkedStyles(reader, row, at),
        },
      })
      const hasVotes = (counts['votes'] ?? 0) > 0 || (counts['vote_counts'] ?? 0) > 0
      await checkBrand(database, { hasVotes })
      const brand = await operatorWrite(place, 'brand.created', async (tx) => {
        const { brandKey, ...result } = await addBrand(tx, database, hasVotes)
        return { result, brandKey, subject: await brandSubject(tx, brandKey) }
      })
      return { ...brand, counts, hasVotes: head.hasVotes, sameLabels: await sameLabels(database) }
    })
  } catch (error) {
    await removeUnowned(store, pictures.stored, isOwned)
    if (engine.isTaken(error)) {
      throw new PlainFailure('A poll, a campaign or a picture of this archive is here already: nothing was imported.')
    }
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function checkedSlug(brand: Row, place: string): Row {
  if (!isReservedSlug(`${brand['slug']}`)) return brand
  throw archiveFault(placeOf(place, 'slug'), 'This slug is reserved.')
}

const sameLabels = async ({ tx }: NewDatabase): Promise<string[]> =>
  (await tx.selectFrom('polls').select(['slug', 'label_a', 'label_b']).execute())
    .filter(({ label_a, label_b }) => isSameLabel(label_a, label_b))
    .map(({ slug }) => slug)

/** True if a picture of the database has this key, or this one is a narrower copy of it. */
async function hasRow({ db }: Engine, key: string): Promise<boolean> {
  const row = await db.selectFrom('files').select('key').where('key', 'in', sourceKeys(key)).executeTakeFirst()
  return row !== undefined
}

/** If the answer to the commit was lost, the pictures are those of the new brand. If in doubt, they stay. */
async function removeUnowned(
  store: FileStore,
  keys: readonly string[],
  isOwned: (key: string) => Promise<boolean>,
): Promise<void> {
  for (const key of keys) {
    const mayBeOwned = await isOwned(key).catch(() => true)
    if (!mayBeOwned) await store.remove(key)
  }
}

/** Columns with the key of another row, and the table of that row. */
const REFERENCES = [
  ['brand_key', 'brands'],
  ['poll_key', 'polls'],
  ['campaign_key', 'campaigns'],
  ['category_key', 'categories'],
  ['source_key', 'source_names'],
  ['list_key', 'code_lists'],
  ['code_list_key', 'code_lists'],
] as const

type Keyed = (typeof REFERENCES)[number][1]

/** Old keys are replaced by those that this database gives. */
async function addBrand(tx: Tx, from: NewDatabase, hasVotes: boolean) {
  const [brand] = await from.select<{ key: number; id: string; slug: string }>('select * from brands')
  if (!brand) throw new PlainFailure('The archive holds no brand.')
  await assertFree(tx, brand.slug)
  const brandKey = await addKeyed(tx, 'brands', { ...brand, deleted_at: null, is_emptied: 0 })
  const keys: Readonly<Record<Keyed, Map<unknown, number>>> = {
    brands: new Map([[brand.key, brandKey]]),
    polls: new Map(),
    // The counts of no campaign and of no source have the key 0.
    campaigns: new Map([[0, 0]]),
    source_names: new Map([[0, 0]]),
    categories: new Map(),
    code_lists: new Map(),
  }

  /** A vote may name a source or a campaign that is not in the archive. */
  const moved = (given: Row): Row => {
    const row: Record<string, unknown> = { ...given }
    for (const [column, table] of REFERENCES) if (column in row) row[column] = keys[table].get(row[column]) ?? null
    return row
  }
  const add = async (table: BrandTable, change: (row: Row) => Row = (row) => row): Promise<void> => {
    for await (const rows of pagesOf(from, table)) await addRows(tx, table, rows.map(moved).map(change))
  }
  const addAllKeyed = async (table: Keyed, change: (row: Row) => Row = (row) => row): Promise<void> => {
    for await (const rows of pagesOf(from, table)) {
      for (const row of rows) keys[table].set(row['key'], await addKeyed(tx, table, change(moved(row))))
    }
  }

  await add('theme_styles')
  await addAllKeyed('source_names')
  // Codes are hashed with a key of the service: in another one they do not vote, and new ones have to be issued.
  await addAllKeyed('code_lists', (row) => ({
    ...row,
    name_folded: foldedName(`${row['name']}`),
    used: hasVotes ? row['used'] : 0,
  }))
  await add('codes')
  await add('files')
  for await (const rows of pagesOf(from, 'categories')) {
    for (const row of rows) keys.categories.set(row['key'], await keyOfCategory(tx, row))
  }
  // Derived columns are computed again. `vote_total` starts at 0: the votes have not been added to the brand's counts yet.
  const campaigns = sql<number>`(select count(*) from campaign_polls where poll_key = polls.key and place is not null)`
  await from.tx.updateTable('polls').set({ campaign_count: campaigns }).execute()
  await addAllKeyed('polls', (row) => ({
    ...row,
    vote_total: 0,
    logged_votes: -1,
    // The server's job writes what is searched.
    title_folded: '',
    title_sort: titleSort(`${row['title']}`),
  }))
  await addAllKeyed('campaigns', (row) => ({
    ...row,
    funnel_completed: 0,
    title_folded: foldedTitle(`${row['title']}`),
  }))
  await add('poll_tags')
  await add('poll_categories')
  await add('poll_revisions')
  await add('tallies', (row) => (hasVotes ? row : { ...row, option_a: 0, option_b: 0 }))
  const unwalked = hasVotes ? {} : { walked_to: 0, walk_end: 0 }
  await add('campaign_polls', (row) => ({ ...row, funnel_to: null, funnel_respondents: 0, ...unwalked }))
  await add('votes')
  await add('code_uses')
  await add('vote_counts')
  // The server's job begins new logs, with new keys: they tell of these.
  const endedAt = Date.now()
  await add('poll_logs', ({ key, ...row }) => ({
    ...row,
    peaks: new Uint8Array(0),
    ended_at: row['ended_at'] ?? endedAt,
  }))
  await addRows(tx, 'view_counts', (await from.select<Row>(VIEWS)).map(moved))
  await addRows(tx, 'attributed_counts', (await from.select<Row>(ATTRIBUTED)).map(moved))
  await add('campaign_respondents', ({ key, ...row }) => row)
  for await (const rows of pagesOf(from, 'forgotten_devices')) {
    await tx
      .insertInto('forgotten_devices')
      .values(rows as never)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  return { brandKey, brandId: brand.id, slug: brand.slug }
}

/** Counts of a source or a campaign that is not in the archive are those of none. */
const PLACES = `case when source_key in (select key from source_names) then source_key else 0 end as source_key,
  case when campaign_key in (select key from campaigns) then campaign_key else 0 end as campaign_key`

const VIEWS = `select poll_key, at, ${PLACES}, sum(views) as views from view_counts group by 1, 2, 3, 4`

/** Counted again: an archive does not hold them. */
const ATTRIBUTED = `
  select poll_key, voted_at - voted_at % ${HOUR} as at, ${PLACES}, coalesce(shown, '') as shown,
    sum(option = 'A') as option_a, sum(option = 'B') as option_b
  from votes where source_key is not null or campaign_key is not null or shown is not null
  group by 1, 2, 3, 4, 5`

async function assertFree(tx: Tx, slug: string): Promise<void> {
  const taken = await tx.selectFrom('brands').select('deleted_at').where('slug', '=', slug).executeTakeFirst()
  if (!taken) return
  const reason = taken.deleted_at === null ? 'is in use' : 'was that of a brand that is deleted'
  throw new PlainFailure(`The slug ${slug} ${reason}: nothing was imported.`)
}

/** In the order of their primary keys. */
const ORDER: Readonly<Partial<Record<BrandTable, readonly string[]>>> = {
  votes: ['poll_key', 'position'],
  vote_counts: ['width', 'at', 'poll_key'],
  campaign_respondents: ['key'],
  polls: ['key'],
  codes: ['list_key', 'hash'],
  code_uses: ['poll_key', 'hash'],
}

/** Rows of the temporary database, a page at a time where they may not fit into memory. */
async function* pagesOf({ tx }: NewDatabase, table: BrandTable): AsyncGenerator<Row[]> {
  const order = ORDER[table]
  const all = sql`select * from ${sql.table(table)}`
  if (!order) {
    const { rows } = await sql<Row>`${all}`.execute(tx)
    if (rows.length > 0) yield rows
    return
  }
  const columns = sql.join(order.map((column) => sql.ref(column)))
  for (let last: Row | undefined, isEnd = false; !isEnd; ) {
    const after: Row = last ?? {}
    const where = last ? sql`where (${columns}) > (${sql.join(order.map((column) => after[column]))})` : sql``
    const page = sql<Row>`${all} ${where} order by ${columns} limit ${ROWS_AT_ONCE}`
    const rows: Row[] = (await page.execute(tx)).rows
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    isEnd = rows.length < ROWS_AT_ONCE
  }
}

async function addKeyed(tx: Tx, table: Keyed, { key, ...row }: Row): Promise<number> {
  const added = await tx
    .insertInto(table)
    .values(row as never)
    .returning('key')
    .executeTakeFirstOrThrow()
  return added.key
}

async function addRows(tx: Tx, table: keyof Tables, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto(table)
      .values(rows.slice(at, at + ROWS_AT_ONCE) as never)
      .execute()
  }
}

/** Categories belong to the operator: one of the same slug is used, and a missing one is made. */
async function keyOfCategory(tx: Tx, { slug, name }: Row): Promise<number> {
  const found = await tx.selectFrom('categories').select('key').where('slug', '=', `${slug}`).executeTakeFirst()
  return found?.key ?? addKeyed(tx, 'categories', { id: newUuid(), slug, name, created_at: Date.now() })
}
