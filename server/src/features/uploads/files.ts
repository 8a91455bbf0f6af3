import { sql } from 'kysely'
import { DAY } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Db, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { type ContentType, fileKey, variantKey, widthsOf } from '../../files/file-keys.ts'
import { storeBytes } from '../../files/file-store.ts'
import { variantWidths } from '../../files/pictures/compose.ts'
import type { Deps } from '../deps.ts'

const IN_POLLS = ['image_a', 'image_b', 'image_combined', 'image_composed'] as const

/**
 * Whether a poll, a theme or a profile shows the file. A key is 32 random characters, so any occurrence in a theme or profile is a use
 * of the file.
 */
const isShown = sql<boolean>`(${sql.join(
  IN_POLLS.map((column) => sql`exists (select 1 from polls where polls.${sql.ref(column)} = files.key)`),
  sql` or `,
)} or exists (select 1 from brands where brands.key = files.brand_key and brands.deleted_at is null
  and (brands.theme like '%' || files.key || '%' or brands.avatar_url like '%' || files.key || '%')))`

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
      .select(['key', isShown.as('is_shown')])
      .where('key', '>', this.#sweptTo)
      .where('expires_at', 'is', null)
      .where('removed_at', 'is', null)
      .orderBy('key')
      .limit(BATCH)
      .execute()
    this.#sweptTo = files.length < BATCH ? '' : (files.at(-1)?.key ?? '')
    const unused = files.filter(({ is_shown }) => !is_shown).map(({ key }) => key)
    if (unused.length === 0) return
    const marked = tx.updateTable('files').set({ expires_at: now + REPLACED_MS })
    await marked.where('key', 'in', unused).where('expires_at', 'is', null).execute()
  }
}

/** A poll or theme that uses a file clears its `expires_at`: the first of the two updates wins. */
async function expire(tx: Tx, now: number): Promise<boolean> {
  const files = await tx
    .selectFrom('files')
    .select(['key', isShown.as('is_shown')])
    .where('expires_at', '<=', now)
    .where('removed_at', 'is', null)
    // In the order of an index, so that files that do not expire are not read.
    .orderBy('expires_at')
    .limit(BATCH)
    .execute()
  // Every transaction locks files in the order of their keys.
  for (const { key, is_shown } of files.toSorted((left, right) => (left.key < right.key ? -1 : 1))) {
    const change = is_shown ? { expires_at: null } : { removed_at: now }
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
 * The key behind the public address in a field of a body: only a file that this brand uploaded for this slot is accepted. It marks the
 * file as used, in the transaction that shows it, so that the sweep removes it before or never. Null clears a field, undefined leaves it.
 */
export async function fileBehind(
  tx: Db,
  deps: Pick<Deps, 'config'>,
  { path, url, brandKey, slot }: { path: string; url: string | null | undefined; brandKey: number; slot: UploadSlot },
): Promise<string | null | undefined> {
  if (typeof url !== 'string') return url
  const refused = () =>
    invalidField(path, 'unknown_file', `Must be the publicUrl of an upload by this brand for ${slot}.`)
  const prefix = publicUrl(deps, '')
  if (!url.startsWith(prefix)) throw refused()
  const { key } = await tx
    .updateTable('files')
    .set({ expires_at: null })
    .where('key', '=', url.slice(prefix.length))
    .where('brand_key', '=', brandKey)
    .where('slot', '=', slot)
    .where('removed_at', 'is', null)
    .returning('key')
    .executeTakeFirstOrThrow(refused)
  return key
}
