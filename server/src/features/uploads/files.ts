import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'

export type PollSlot = 'optionA' | 'optionB' | 'combined'

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const
export type ContentType = keyof typeof EXTENSIONS

const FILE_KEY = /^[A-Za-z0-9_-]{32}\.(png|jpg|webp)$/

export const isFileKey = (key: string): boolean => FILE_KEY.test(key)

/** The type stands in the name, so that a file is served without asking the database. */
export const contentTypeOf = (key: string): ContentType => {
  const extension = key.slice(key.lastIndexOf('.') + 1)
  const found = Object.entries(EXTENSIONS).find(([, known]) => known === extension)
  return (found?.[0] ?? 'image/png') as ContentType
}

export const publicUrl = ({ config }: Pick<Deps, 'config'>, key: string): string => `${config.publicUrl}/files/${key}`

interface NewFile {
  readonly brandKey: number
  readonly slot: PollSlot
  readonly contentType: ContentType
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** The bytes are on the disk before the row speaks of them. */
export async function keepFile(db: Db, deps: Pick<Deps, 'clock' | 'files'>, file: NewFile): Promise<string> {
  const key = `${randomBytes(24).toString('base64url')}.${EXTENSIONS[file.contentType]}`
  await deps.files.put(key, file.bytes)
  await db
    .insertInto('files')
    .values({
      key,
      brand_key: file.brandKey,
      slot: file.slot,
      content_type: file.contentType,
      byte_size: file.bytes.byteLength,
      width: file.width,
      height: file.height,
      created_at: deps.clock.now(),
    })
    .execute()
  return key
}

/** The key behind a public address, when it is a file of this brand made for this slot; else null. */
export async function fileBehind(
  db: Db,
  deps: Pick<Deps, 'config'>,
  wanted: { url: string; brandKey: number; slot: PollSlot },
): Promise<string | null> {
  const prefix = publicUrl(deps, '')
  if (!wanted.url.startsWith(prefix)) return null
  const row = await db
    .selectFrom('files')
    .select('key')
    .where('key', '=', wanted.url.slice(prefix.length))
    .where('brand_key', '=', wanted.brandKey)
    .where('slot', '=', wanted.slot)
    .executeTakeFirst()
  return row?.key ?? null
}
