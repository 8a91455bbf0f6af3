import { readArchive } from '../../backup/archive-reader.ts'
import { FILES_FOLDER } from '../../backup/backup-format.ts'
import { assertKnownSchema } from '../../backup/read-backup.ts'
import type { Clock } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { Isolation } from '../../base/isolation/isolated-work.ts'
import type { Config } from '../../config/config.ts'
import type { Engine, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { isSameLabel } from '../../events/resources/poll.ts'
import { StylesheetReader } from '../../features/brands/themes/stylesheet-reader.ts'
import { foldedTitle } from '../../features/campaigns/title.ts'
import { brandSubject } from '../../features/people/tokens/queries.ts'
import { foldTitle, titleSort } from '../../features/polls/queries.ts'
import { publicUrl } from '../../features/uploads/files.ts'
import { sourceKeys } from '../../files/file-keys.ts'
import type { FileStore } from '../../files/file-store.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { Decoding } from '../../files/pictures/decoding.ts'
import { operatorWrite } from '../operator-write.ts'
import { archiveFault } from '../row-checks/check-row.ts'
import { assertFilesUrl } from './addresses.ts'
import { ArchivePictures } from './archive-pictures.ts'
import { BrandContent } from './brand-content.ts'
import { BRAND_TABLES, type BrandHead, type BrandManifest, type Row } from './brand-rows.ts'
import { checkReferences } from './check-references.ts'
import { checkedStyles, checkedTheme } from './checked-theme.ts'
import { SpilledRows } from './spilled-rows.ts'

const ROWS_AT_ONCE = 500

type TableName = (typeof BRAND_TABLES)[number]['name']
type Content = ReadonlyMap<TableName, readonly Row[]>

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

const log = { warn: (_: unknown, message: string) => console.error(message) } as ConstructorParameters<
  typeof Isolation
>[0]

/**
 * Reads and checks the whole archive first, because an archive can come from anybody; then one transaction adds everything, or
 * nothing. Ids, slugs and links of polls and campaigns stay as they were.
 */
export async function importBrand(
  { config, engine, clock }: Place,
  source: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const store = openFilesBeside(config)
  const spilled = new SpilledRows(store.workspace.newPath())
  const isOwned = (key: string) => hasRow(engine, key)
  const isolation = new Isolation(log)
  const pictures = new ArchivePictures({ store, decoding: new Decoding(isolation), isOwned })
  try {
    const { head, rows } = await readBrand(source, new BrandContent(spilled), {
      pictures,
      filesUrl: publicUrl({ config }, ''),
    })
    const content = await dressed(rows, { pictures, reader: new StylesheetReader(isolation) })
    const brand = await operatorWrite({ engine, clock }, 'brand.created', async (tx) => {
      const { brandKey, ...result } = await addBrand(tx, { content, spilled, isTaken: engine.isTaken })
      return { result, brandKey, subject: await brandSubject(tx, brandKey) }
    })
    const counts = Object.fromEntries(BRAND_TABLES.map(({ name }) => [name, rows.count(name)]))
    return { ...brand, counts, hasVotes: head.hasVotes, sameLabels: sameLabels(rows.of('polls')) }
  } catch (error) {
    await removeUnowned(store, pictures.stored, isOwned)
    if (engine.isTaken(error)) {
      throw new PlainFailure('A poll, a campaign or a picture of this archive is here already: nothing was imported.')
    }
    throw error
  } finally {
    isolation.close()
    spilled.close()
  }
}

const sameLabels = (polls: readonly Row[]): string[] =>
  polls.filter(({ label_a, label_b }) => isSameLabel(`${label_a}`, `${label_b}`)).map(({ slug }) => `${slug}`)

interface Reading {
  readonly pictures: ArchivePictures
  /** The prefix of picture addresses on this service. */
  readonly filesUrl: string
}

async function readBrand(
  source: AsyncIterable<Uint8Array>,
  rows: BrandContent,
  { pictures, filesUrl }: Reading,
): Promise<{ head: BrandHead; rows: BrandContent }> {
  const { head } = await readArchive<BrandHead, BrandManifest>(source, {
    kind: 'brand',
    async begin(begun) {
      assertKnownSchema(begun)
      assertFilesUrl(begun.filesUrl)
      const prefixes = { before: begun.filesUrl, now: filesUrl }
      return async (entry) => {
        const { name } = entry
        if (name.startsWith(FILES_FOLDER)) return pictures.take(name.slice(FILES_FOLDER.length), entry)
        const added = await rows.take(entry, prefixes)
        if (name.startsWith(FILE_ROWS)) pictures.expect(added)
      }
    },
  })
  return { head, rows }
}

/** The rows as they will be stored: with the theme as it is merged, its stylesheets printed again, and the sizes of files. */
async function dressed(
  rows: BrandContent,
  { pictures, reader }: { pictures: ArchivePictures; reader: StylesheetReader },
): Promise<Content> {
  const brands = rows.of('brands').map((row) => checkedTheme(row, rows.placeOf(row)))
  checkReferences(rows, brands)
  const styles: Row[] = []
  for (const row of rows.of('theme_styles')) styles.push(await checkedStyles(reader, row, rows.placeOf(row)))
  return new Map([
    ...BRAND_TABLES.map(({ name }) => [name, rows.of(name)] as const),
    ['brands', brands],
    ['theme_styles', styles],
    ['files', rows.of('files').map(pictures.withSize)],
  ])
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

interface Adding {
  readonly content: Content
  readonly spilled: SpilledRows
  isTaken(error: unknown): boolean
}

/** Old keys are replaced by those that this database gives. */
async function addBrand(
  tx: Tx,
  { content, spilled, isTaken }: Adding,
): Promise<{ brandKey: number; brandId: string; slug: string }> {
  const rowsOf = (name: TableName): readonly Row[] => content.get(name) ?? []
  const [brand] = rowsOf('brands')
  if (!brand) throw new PlainFailure('The archive holds no brand.')
  const { id, slug } = brand as { id: string; slug: string }
  const taken = await tx.selectFrom('brands').select('deleted_at').where('slug', '=', slug).executeTakeFirst()
  if (taken) {
    const reason = taken.deleted_at === null ? 'is in use' : 'was that of a brand that is deleted'
    throw new PlainFailure(`The slug ${slug} ${reason}: nothing was imported.`)
  }

  const brandKey = await addKeyed(tx, 'brands', { ...brand, deleted_at: null, is_emptied: 0 })
  const ofBrand = (name: TableName): Row[] => rowsOf(name).map((row) => ({ ...row, brand_key: brandKey }))
  await addRows(tx, 'theme_styles', ofBrand('theme_styles'))
  await addRows(tx, 'files', ofBrand('files'))
  const steps = Map.groupBy(
    rowsOf('campaign_polls').filter(({ place }) => place !== null),
    ({ poll_key }) => poll_key,
  )
  // Derived columns are computed again. `vote_total` starts at 0: the votes have not been added to the brand's counts yet.
  const polls = await addAllKeyed(
    tx,
    'polls',
    ofBrand('polls').map((row) => ({
      ...row,
      vote_total: 0,
      title_folded: foldTitle(`${row['title']}`),
      title_sort: titleSort(`${row['title']}`),
      campaign_count: steps.get(row['key'])?.length ?? 0,
    })),
  )
  const campaigns = await addAllKeyed(
    tx,
    'campaigns',
    ofBrand('campaigns').map((row) => ({
      ...row,
      funnel_completed: 0,
      title_folded: foldedTitle(`${row['title']}`),
    })),
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
    try {
      for (const rows of spilled.rows(name)) await addRows(tx, name, rows.map(ofPoll))
    } catch (error) {
      throw isTaken(error) ? archiveFault(`rows/${name}`, UNIQUE[name]) : error
    }
  }
  await assertOneVoteADevice(tx, brandKey)
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

const FILE_ROWS = 'rows/files/'

const UNIQUE = {
  votes: 'A device must have at most one vote on a poll, and a position one vote.',
  vote_counts: 'A poll must have at most one row for each width and time.',
}

/** SQLite has no unique index on devices. */
async function assertOneVoteADevice(tx: Tx, brandKey: number): Promise<void> {
  const twice = await tx
    .selectFrom('votes')
    .innerJoin('polls', 'polls.key', 'votes.poll_key')
    .select('polls.id')
    .where('polls.brand_key', '=', brandKey)
    .groupBy(['votes.poll_key', 'votes.device', 'polls.id'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .limit(1)
    .executeTakeFirst()
  if (twice) throw archiveFault(`rows/votes, the poll ${twice.id}`, UNIQUE.votes)
}

function keyIn(keys: ReadonlyMap<unknown, number>, before: unknown): number {
  const key = keys.get(before)
  if (key === undefined) throw new PlainFailure('The archive refers to a poll or campaign that it does not hold.')
  return key
}

type KeyedTable = 'brands' | 'polls' | 'campaigns' | 'categories'

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
