import { DAY } from '../../base/clock.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Db, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { type ContentType, fileKey, variantKey, widthsOf } from '../../files/file-keys.ts'
import { storeBytes } from '../../files/file-store.ts'
import { variantWidths } from '../../files/pictures/compose.ts'
import type { Deps } from '../deps.ts'

interface File {
  readonly key: string
  readonly brand_key: number
}

/** Which of these files a poll, a theme or a profile shows. */
async function shownKeys(db: Db, files: readonly File[]): Promise<Set<string>> {
  if (files.length === 0) return new Set()
  const inPolls = await keysInPolls(db, files)
  const texts = await brandTexts(db, files)
  const isInBrand = ({ key, brand_key }: File) => texts.get(brand_key)?.includes(key) === true
  return new Set(files.filter((file) => inPolls.has(file.key) || isInBrand(file)).map(({ key }) => key))
}

async function keysInPolls(db: Db, files: readonly File[]): Promise<Set<string>> {
  const keys = files.map(({ key }) => key)
  const columns = ['image_a', 'image_b', 'image_combined', 'image_composed'] as const
  const found = await Promise.all(
    columns.map((column) => db.selectFrom('polls').select(`${column} as key`).where(column, 'in', keys).execute()),
  )
  return new Set(found.flat().flatMap(({ key }) => key ?? []))
}

/** A key is 32 random characters, so any occurrence in a theme or profile is a use of the file. */
async function brandTexts(db: Db, files: readonly File[]): Promise<Map<number, string>> {
  const brandKeys = new Set(files.map(({ brand_key }) => brand_key))
  const rows = await db
    .selectFrom('brands')
    .select(['key', 'theme', 'avatar_url'])
    .where('key', 'in', [...brandKeys])
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ key, theme, avatar_url }) => [key, `${theme} ${avatar_url ?? ''}`]))
}

const BATCH = 200
/** Open pages may still request a file that was replaced. */
const REPLACED_MS = 7 * DAY

/** Walks through all files and removes those that nothing shows, so that writes need not track what they replace. */
export class FileSweep {
  readonly #deps: Deps
  #sweptTo = ''

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async run(now: number): Promise<boolean> {
    const { engine } = this.#deps
    await transaction(engine, (tx) => this.#markUnused(tx, now))
    const isMoreExpired = await inBatches(() => transaction(engine, (tx) => expire(tx, now)))
    return (await inBatches(() => remove(this.#deps))) || isMoreExpired
  }

  async #markUnused(tx: Tx, now: number): Promise<void> {
    const files = await tx
      .selectFrom('files')
      .select(['key', 'brand_key'])
      .where('key', '>', this.#sweptTo)
      .where('expires_at', 'is', null)
      .where('removed_at', 'is', null)
      .orderBy('key')
      .limit(BATCH)
      .execute()
    this.#sweptTo = files.length < BATCH ? '' : (files.at(-1)?.key ?? '')
    const shown = await shownKeys(tx, files)
    const unused = files.filter(({ key }) => !shown.has(key)).map(({ key }) => key)
    if (unused.length === 0) return
    const marked = tx.updateTable('files').set({ expires_at: now + REPLACED_MS })
    await marked.where('key', 'in', unused).where('expires_at', 'is', null).execute()
  }
}

/** A poll or theme that uses a file clears its `expires_at`: the first of the two updates wins. */
async function expire(tx: Tx, now: number): Promise<boolean> {
  const files = await tx
    .selectFrom('files')
    .select(['key', 'brand_key'])
    .where('expires_at', '<=', now)
    .where('removed_at', 'is', null)
    // In the order of an index, so that files that do not expire are not read.
    .orderBy('expires_at')
    .limit(BATCH)
    .execute()
  const shown = await shownKeys(tx, files)
  // Every transaction locks files in the order of their keys.
  const keys = files.map(({ key }) => key).sort()
  for (const key of keys) {
    const change = shown.has(key) ? { expires_at: null } : { removed_at: now }
    const expired = tx.updateTable('files').set(change).where('key', '=', key)
    await expired.where('expires_at', '<=', now).where('removed_at', 'is', null).execute()
  }
  return files.length === BATCH
}

/** The row is removed last, so that a crash leaves nothing unfindable. */
async function remove({ engine, files }: Deps): Promise<boolean> {
  const rows = await engine.db
    .selectFrom('files')
    .select(['key', 'width', 'variant_widths'])
    .where('removed_at', 'is not', null)
    .limit(BATCH)
    .execute()
  for (const { key, width, variant_widths } of rows) {
    // Earlier versions made other widths.
    const widths = new Set([...widthsOf(variant_widths), ...variantWidths(width)])
    for (const wanted of widths) await files.remove(variantKey(key, wanted))
    await files.remove(key)
    await transaction(engine, (tx) => tx.deleteFrom('files').where('key', '=', key).execute())
  }
  return rows.length === BATCH
}

export const POLL_SLOTS = ['optionA', 'optionB', 'combined'] as const
export const ASSET_SLOTS = ['logo_light', 'logo_dark', 'favicon'] as const

export type PollSlot = (typeof POLL_SLOTS)[number]
type AssetSlot = (typeof ASSET_SLOTS)[number]
/** The purpose of an uploaded file, and the only one it can be used for. */
export type UploadSlot = PollSlot | AssetSlot

export const POLL_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const satisfies ContentType[]
export const ASSET_TYPES = ['image/png', 'image/svg+xml', 'image/webp'] as const satisfies ContentType[]
export const FAVICON_TYPES: readonly string[] = ['image/png', 'image/svg+xml']

export const isPollSlot = (slot: string): boolean => POLL_SLOTS.some((known) => known === slot)

/** Where everybody can read the file with this key. */
export const publicUrl = ({ config }: Pick<Deps, 'config'>, key: string): string =>
  `${config.filesUrl ?? `${config.publicUrl}/files`}/${key}`

/** An upload that nothing shows is removed after a day. */
const UNUSED_MS = DAY

interface NewFile {
  readonly key: string
  readonly brandKey: number
  readonly slot: UploadSlot
  readonly contentType: ContentType
  readonly byteSize: number
  readonly width: number
  readonly height: number
  /** When a worker makes the narrower copies of a picture of a poll; at once by default. */
  readonly variantsDueAt?: number
}

/** The bytes are in the store before the row exists. */
export async function addFile(db: Db, { clock }: Pick<Deps, 'clock'>, file: NewFile): Promise<void> {
  const now = clock.now()
  await db
    .insertInto('files')
    .values({
      key: file.key,
      brand_key: file.brandKey,
      slot: file.slot,
      content_type: file.contentType,
      byte_size: file.byteSize,
      width: file.width,
      height: file.height,
      created_at: now,
      expires_at: now + UNUSED_MS,
      variants_due_at: isPollSlot(file.slot) ? (file.variantsDueAt ?? now) : null,
    })
    .execute()
}

/** For files that the service makes itself, without a ticket. */
export async function keepFile(
  db: Db,
  deps: Pick<Deps, 'clock' | 'files'>,
  { bytes, ...file }: Omit<NewFile, 'key' | 'byteSize'> & { readonly bytes: Uint8Array },
): Promise<string> {
  const key = fileKey(file.contentType)
  await storeBytes(deps.files, key, bytes)
  await addFile(db, deps, { ...file, key, byteSize: bytes.byteLength })
  return key
}

/**
 * The key of a public address if it is a file of this brand for this slot, else null. It marks the file as used, in the
 * transaction that shows it, so that the sweep removes it before or never.
 */
export async function fileBehind(
  tx: Db,
  deps: Pick<Deps, 'config'>,
  wanted: { url: string; brandKey: number; slot: UploadSlot },
): Promise<string | null> {
  const prefix = publicUrl(deps, '')
  if (!wanted.url.startsWith(prefix)) return null
  const row = await tx
    .updateTable('files')
    .set({ expires_at: null })
    .where('key', '=', wanted.url.slice(prefix.length))
    .where('brand_key', '=', wanted.brandKey)
    .where('slot', '=', wanted.slot)
    .where('removed_at', 'is', null)
    .returning('key')
    .executeTakeFirst()
  return row?.key ?? null
}
