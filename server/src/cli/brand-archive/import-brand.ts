import { open } from 'node:fs/promises'
import { readArchive } from '../../backup/archive-reader.ts'
import { FILES_FOLDER } from '../../backup/backup-format.ts'
import { assertKnownSchema } from '../../backup/read-backup.ts'
import type { Clock } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { textOfChunks } from '../../base/text-of-chunks.ts'
import type { Config } from '../../config.ts'
import type { Engine, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { titleSort } from '../../features/polls/queries.ts'
import { brandSubject } from '../../features/tokens/brand-subject.ts'
import { publicUrl } from '../../features/uploads/public-url.ts'
import { isSameLabel } from '../../resources/option.ts'
import { isFileKey, sourceKeys } from '../../storage/file-keys.ts'
import type { FileStore } from '../../storage/file-store.ts'
import { openFilesBeside } from '../../storage/open-files.ts'
import { operatorWrite } from '../operator-write.ts'
import { BRAND_TABLES, type BrandHead, type BrandManifest, fromJson, ROWS_FOLDER, type Row } from './brand-rows.ts'
import { assertSafeBrand, assertSafeFile, checkedStyles, checkedTheme } from './check-rows.ts'
import { SpilledRows } from './spilled-rows.ts'

const ROWS_AT_ONCE = 500

type TableName = (typeof BRAND_TABLES)[number]['name']
type Content = ReadonlyMap<TableName, Row[]>

export interface Imported {
  readonly brandId: string
  readonly slug: string
  readonly counts: Readonly<Record<string, number>>
  readonly hasVotes: boolean
  /** Slugs of polls with one label for both options, which earlier versions accepted. They are imported as they are. */
  readonly sameLabels: readonly string[]
}

interface Place {
  readonly config: Config
  readonly engine: Engine
  readonly clock: Clock
}

/**
 * Reads and checks the whole archive first; then one transaction adds everything, or nothing. Ids, slugs and links of polls and
 * campaigns stay as they were.
 */
export async function importBrand(
  { config, engine, clock }: Place,
  source: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const store = openFilesBeside(config)
  const spilled = new SpilledRows(store.workspace.newPath())
  const stored: string[] = []
  const isOwned = (key: string) => hasRow(engine, key)
  try {
    const { head, content } = await readBrand(source, spilled, { store, stored, isOwned })
    const prefixes = { before: head.filesUrl, now: publicUrl({ config }, '') }
    const brand = await operatorWrite({ engine, clock }, 'brand.created', async (tx) => {
      const { brandKey, ...result } = await addBrand(tx, { content, spilled }, prefixes)
      return { result, brandKey, subject: await brandSubject(tx, brandKey) }
    })
    const counts = Object.fromEntries(
      BRAND_TABLES.map(({ name }) => [name, (content.get(name)?.length ?? 0) + spilled.count(name)]),
    )
    return { ...brand, counts, hasVotes: head.hasVotes, sameLabels: sameLabels(content.get('polls') ?? []) }
  } catch (error) {
    await removeUnowned(store, stored, isOwned)
    if (engine.isTaken(error)) {
      throw new PlainFailure('A poll, a campaign or a picture of this archive is here already: nothing was imported.')
    }
    throw error
  } finally {
    spilled.close()
  }
}

const sameLabels = (polls: readonly Row[]): string[] =>
  polls.filter(({ label_a, label_b }) => isSameLabel(`${label_a}`, `${label_b}`)).map(({ slug }) => `${slug}`)

async function readBrand(
  source: AsyncIterable<Uint8Array>,
  spilled: SpilledRows,
  pictures: Pictures,
): Promise<{ head: BrandHead; content: Content }> {
  const content = new Map<TableName, Row[]>(BRAND_TABLES.map(({ name }) => [name, []]))
  const { head } = await readArchive<BrandHead, BrandManifest>(source, {
    kind: 'brand',
    async begin(begun) {
      assertKnownSchema(begun)
      return async ({ name, chunks }) => {
        if (name.startsWith(FILES_FOLDER)) return takeFile(pictures, name.slice(FILES_FOLDER.length), chunks)
        const table = BRAND_TABLES.find((each) => name.startsWith(`${ROWS_FOLDER}${each.name}/`))
        if (!table) throw new PlainFailure(`The archive holds "${name}", which is unknown.`)
        const text = await textOfChunks(chunks)
        if (table.onlyWithVotes) spilled.add(table.name, text)
        else for (const row of fromJson(text)) content.get(table.name)?.push(row)
      }
    },
  })
  return { head, content: checkedContent(content) }
}

/** A server trusts these rows because it checked them when it wrote them. An archive can come from anybody: check them again. */
function checkedContent(content: Content): Content {
  const [brands, files, styles] = (['brands', 'files', 'theme_styles'] as const).map((name) => content.get(name) ?? [])
  for (const row of brands ?? []) assertSafeBrand(row)
  for (const row of files ?? []) assertSafeFile(row)
  return new Map([
    ...content,
    ['brands', (brands ?? []).map(checkedTheme)],
    ['theme_styles', (styles ?? []).map(checkedStyles)],
  ])
}

interface Pictures {
  readonly store: FileStore
  /** The keys that this import has stored. */
  readonly stored: string[]
  isOwned(key: string): Promise<boolean>
}

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

async function takeFile(
  { store, stored, isOwned }: Pictures,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  // A key with a path in it would be written elsewhere.
  if (!isFileKey(key)) throw new PlainFailure(`The archive holds the file "${key}", which is no name of a picture.`)
  // A picture without a row is of an import that was killed.
  if (await isOwned(key)) throw new PlainFailure(`The picture ${key} is here already: nothing was imported.`)
  const path = store.workspace.newPath()
  try {
    const file = await open(path, 'w', 0o600)
    try {
      for await (const chunk of chunks) await file.write(chunk)
    } finally {
      await file.close()
    }
    await store.put(key, path)
    stored.push(key)
  } finally {
    await store.workspace.discard(path)
  }
}

interface Prefixes {
  readonly before: string
  readonly now: string
}

/** Old keys are replaced by those that this database gives. */
async function addBrand(
  tx: Tx,
  { content, spilled }: { content: Content; spilled: SpilledRows },
  prefixes: Prefixes,
): Promise<{ brandKey: number; brandId: string; slug: string }> {
  const rowsOf = (name: TableName): Row[] => content.get(name) ?? []
  const [brand] = rowsOf('brands')
  if (!brand) throw new PlainFailure('The archive holds no brand.')
  const { id, slug } = brand as { id: string; slug: string }
  const taken = await tx.selectFrom('brands').select('deleted_at').where('slug', '=', slug).executeTakeFirst()
  if (taken) {
    const reason = taken.deleted_at === null ? 'is in use' : 'was that of a brand that is deleted'
    throw new PlainFailure(`The slug ${slug} ${reason}: nothing was imported.`)
  }

  const moved = (row: Row): Row => withAddresses(row, prefixes)
  const brandKey = await addKeyed(tx, 'brands', { ...moved(brand), deleted_at: null, is_emptied: 0 })
  const ofBrand = (name: TableName): Row[] => rowsOf(name).map((row) => ({ ...moved(row), brand_key: brandKey }))
  await addRows(tx, 'theme_styles', ofBrand('theme_styles'))
  await addRows(tx, 'files', ofBrand('files'))
  // The votes are yet to be added to the counts of the brand here.
  const polls = await addAllKeyed(
    tx,
    'polls',
    // A poll of an older version has no title to sort by.
    ofBrand('polls').map((row) => ({ ...row, vote_total: 0, title_sort: titleSort(String(row['title'])) })),
  )
  const campaigns = await addAllKeyed(
    tx,
    'campaigns',
    ofBrand('campaigns').map((row) => ({ ...row, funnel_completed: 0 })),
  )
  const hasVotes = spilled.count('votes') > 0
  const ofPoll = (row: Row): Row => ({ ...row, poll_key: keyIn(polls, row['poll_key']) })
  const ofPolls = (name: TableName) => rowsOf(name).map(ofPoll)

  await addRows(tx, 'poll_tags', ofPolls('poll_tags'))
  await addCategories(tx, ofPolls('poll_categories'))
  const uncounted = { option_a: 0, option_b: 0 }
  await addRows(
    tx,
    'tallies',
    ofPolls('tallies').map((row) => (hasVotes ? row : { ...row, ...uncounted })),
  )
  const unwalked = { walked_to: 0, walk_end: 0 }
  const uncountedStep = { funnel_to: null, funnel_respondents: 0 }
  const ofCampaigns = (row: Row): Row => ({ ...row, campaign_key: keyIn(campaigns, row['campaign_key']) })
  await addRows(
    tx,
    'campaign_polls',
    ofPolls('campaign_polls').map((row) => ofCampaigns({ ...row, ...uncountedStep, ...(hasVotes ? {} : unwalked) })),
  )
  for (const name of ['votes', 'vote_counts'] as const) {
    for (const rows of spilled.rows(name)) await addRows(tx, name, rows.map(ofPoll))
  }
  for (const rows of spilled.rows('campaign_respondents')) {
    await addRows(
      tx,
      'campaign_respondents',
      rows.map(({ key, ...row }) => ofCampaigns(row)),
    )
  }
  for (const rows of spilled.rows('forgotten_devices')) await addForgotten(tx, rows)
  return { brandKey, brandId: id, slug }
}

function withAddresses(row: Row, { before, now }: Prefixes): Row {
  const change = (value: unknown) => (typeof value === 'string' ? value.replaceAll(before, now) : value)
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, change(value)]))
}

function keyIn(keys: ReadonlyMap<unknown, number>, before: unknown): number {
  const key = keys.get(before)
  if (key === undefined) throw new PlainFailure('The archive refers to a poll or campaign that it does not hold.')
  return key
}

type KeyedTable = 'brands' | 'polls' | 'campaigns' | 'categories'

/** The columns come from an archive of the same schema: the database refuses any that it does not have. */
async function addKeyed(tx: Tx, table: KeyedTable, { key, ...row }: Row): Promise<number> {
  const added = await tx
    .insertInto(table)
    .values(row as never)
    .returning('key')
    .executeTakeFirstOrThrow()
  return added.key
}

async function addAllKeyed(tx: Tx, table: KeyedTable, rows: readonly Row[]): Promise<Map<unknown, number>> {
  const keys = new Map<unknown, number>()
  for (const row of rows) keys.set(row['key'], await addKeyed(tx, table, row))
  return keys
}

async function addRows(tx: Tx, table: keyof Tables, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto(table)
      .values(rows.slice(at, at + ROWS_AT_ONCE) as never)
      .execute()
  }
}

/** Categories belong to the operator: those of the same slug are used, and missing ones are made. */
async function addCategories(tx: Tx, rows: readonly Row[]): Promise<void> {
  const keys = new Map<unknown, number>()
  for (const { poll_key, place, slug, name } of rows as {
    poll_key: number
    place: number
    slug: string
    name: string
  }[]) {
    const known = keys.get(slug) ?? (await keyOfCategory(tx, slug, name))
    keys.set(slug, known)
    await addRows(tx, 'poll_categories', [{ poll_key, place, category_key: known }])
  }
}

async function keyOfCategory(tx: Tx, slug: string, name: string): Promise<number> {
  const found = await tx.selectFrom('categories').select('key').where('slug', '=', slug).executeTakeFirst()
  return found?.key ?? addKeyed(tx, 'categories', { id: newUuid(), slug, name, created_at: Date.now() })
}

async function addForgotten(tx: Tx, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    await tx
      .insertInto('forgotten_devices')
      .values(row as never)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
