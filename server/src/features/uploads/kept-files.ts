import { DAY } from '../../base/clock.ts'
import type { Db } from '../../db/store.ts'
import { type ContentType, fileKey } from '../../files/file-keys.ts'
import { storeBytes } from '../../files/file-store.ts'
import type { Deps } from '../deps.ts'
import { isPollSlot, publicUrl, type UploadSlot } from './public-url.ts'

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
      variants_due_at: isPollSlot(file.slot) ? now : null,
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
 * The key of a public address if it is a file of this brand for this slot, else null. Call it in the
 * transaction that shows the file: it marks the file as used, so that the sweep removes it before or never.
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
