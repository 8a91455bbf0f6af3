import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { SECOND } from '../../base/clock.ts'
import { ticketNotFound } from '../../base/errors.ts'
import { url } from '../../base/fields.ts'
import { isSameSecret, keyedHash } from '../../base/secrets.ts'
import { inBatches } from '../../base/work/jobs.ts'
import type { Engine, Tx } from '../../db/store.ts'
import type { TicketRow } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import { type ContentType, fileKey } from '../../files/file-keys.ts'
import { MOST_PICTURE_BYTES } from '../../files/pictures/container.ts'
import type { Deps } from '../deps.ts'
import { ASSET_SLOTS, ASSET_TYPES, FAVICON_TYPES, POLL_SLOTS, POLL_TYPES, publicUrl, type UploadSlot } from './files.ts'

export const MOST_ASSET_BYTES = 2 * 1024 * 1024

const KEY = 'q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.png'
const PUBLIC_URL = `https://polls.example.com/files/${KEY}`

/** The description and example of each field, shared by bodies and answers. */
const about = {
  slot: { description: 'Where the picture is used. It cannot be used elsewhere.' },
  contentType: { description: 'The content type of the picture.', examples: ['image/png'] },
  byteSize: { description: 'The size of the picture in bytes.', examples: [48_213] },
  key: { description: 'The name of the file.', examples: [KEY] },
  publicUrl: { description: 'The URL of the picture, to set on a poll or a theme.', examples: [PUBLIC_URL] },
}

export const pollTicketBody = z
  .strictObject({
    slot: z.enum(POLL_SLOTS).meta(about.slot),
    contentType: z.enum(POLL_TYPES).meta(about.contentType),
    byteSize: z.int().min(1).max(MOST_PICTURE_BYTES).optional().meta(about.byteSize),
  })
  .meta({ id: 'PollImageTicketCreate', description: 'A picture of a poll to upload.' })

export const assetTicketBody = z
  .strictObject({
    slot: z.enum(ASSET_SLOTS).meta(about.slot),
    contentType: z.enum(ASSET_TYPES).meta(about.contentType),
    byteSize: z.int().min(1).max(MOST_ASSET_BYTES).meta(about.byteSize),
  })
  .refine(({ slot, contentType }) => slot !== 'favicon' || FAVICON_TYPES.includes(contentType), {
    path: ['contentType'],
    error: `Must be one of ${FAVICON_TYPES.join(', ')} for a favicon.`,
    params: { code: 'invalid_value' },
  })
  .meta({
    id: 'ThemeAssetTicketCreate',
    description: `The picture that is to be uploaded for a theme. A favicon is one of ${FAVICON_TYPES.join(', ')}.`,
  })

export const ticket = z
  .object({
    uploadUrl: url.meta({
      description: 'The URL to send the picture to. It is the credential.',
      examples: [`https://polls.example.com/uploads/${KEY}?signature=3sM0Xy7Qd1fKbZ9LrT5wVnC2eHgJ8aUoPiYk4tRxB6E`],
    }),
    key: z.string().meta(about.key),
    publicUrl: url.meta(about.publicUrl),
    expiresIn: z
      .int()
      .positive()
      .meta({ description: 'The lifetime of the ticket in seconds.', examples: [600] }),
    method: z.literal('PUT').describe('The method of the upload.'),
    headers: z.record(z.string(), z.string()).meta({
      description: 'The headers that the upload must send.',
      examples: [{ 'Content-Type': 'image/png' }],
    }),
  })
  .meta({ id: 'UploadTicket', description: 'How to upload one picture.' })

type Ticket = z.infer<typeof ticket>

export const uploadedFile = z
  .object({
    key: z.string().meta(about.key),
    publicUrl: url.meta(about.publicUrl),
    contentType: z.string().meta(about.contentType),
    byteSize: z.int().positive().meta(about.byteSize),
    width: z
      .int()
      .positive()
      .meta({ description: 'Its width in pixels.', examples: [800] }),
    height: z
      .int()
      .positive()
      .meta({ description: 'Its height in pixels.', examples: [600] }),
  })
  .meta({ id: 'UploadedFile', description: 'A stored picture.' })

export type UploadedFile = z.infer<typeof uploadedFile>

const BATCH = 200
/** Longer than any upload with the ticket can take. */
const PATIENCE_MS = 3_600_000
const REMOVED = 'removed'

/** Removes expired tickets, and the files that interrupted uploads left in the store. */
export const sweepTickets = ({ engine, files }: Deps, now: number): Promise<boolean> =>
  inBatches(async () => {
    const over = await engine.db
      .selectFrom('upload_tickets')
      .select('key')
      .where('expires_at', '<=', now - PATIENCE_MS)
      .limit(BATCH)
      .execute()
    for (const { key } of over) {
      // An upload that still holds the ticket finds it gone, and does not publish the file that is removed next.
      await transaction(engine, (tx) =>
        tx.updateTable('upload_tickets').set({ held_by: REMOVED }).where('key', '=', key).execute(),
      )
      const isKept = await engine.db.selectFrom('files').select('key').where('key', '=', key).executeTakeFirst()
      if (!isKept) await files.remove(key)
      await transaction(engine, (tx) => tx.deleteFrom('upload_tickets').where('key', '=', key).execute())
    }
    return over.length === BATCH
  })

const LIFE_SECONDS = 600

export async function createTicket(
  deps: Deps,
  tx: Tx,
  wanted: { brandKey: number; slot: UploadSlot; contentType: ContentType; byteSize: number | null },
): Promise<Ticket> {
  const row = {
    key: fileKey(wanted.contentType),
    brand_key: wanted.brandKey,
    slot: wanted.slot,
    content_type: wanted.contentType,
    byte_size: wanted.byteSize,
    expires_at: deps.clock.now() + LIFE_SECONDS * SECOND,
  }
  await tx.insertInto('upload_tickets').values(row).execute()
  return {
    uploadUrl: `${deps.config.publicUrl}/uploads/${row.key}?signature=${signatureOf(deps, row)}`,
    key: row.key,
    publicUrl: publicUrl(deps, row.key),
    expiresIn: LIFE_SECONDS,
    method: 'PUT',
    headers: { 'Content-Type': row.content_type },
  }
}

const signatureOf = ({ keys }: Pick<Deps, 'keys'>, row: Omit<TicketRow, 'held_by'>): string => {
  const { key, brand_key, slot, content_type, byte_size, expires_at } = row
  const bound = JSON.stringify([key, brand_key, slot, content_type, byte_size, expires_at])
  return keyedHash(keys.upload, bound).toString('base64url')
}

/** The signed address is the only credential of an upload. */
export async function findTicket(deps: Deps, key: string, signature: string): Promise<TicketRow> {
  const row = await deps.engine.db.selectFrom('upload_tickets').selectAll().where('key', '=', key).executeTakeFirst()
  if (!row || !isSameSecret(Buffer.from(signatureOf(deps, row)), Buffer.from(signature))) throw ticketNotFound()
  return row
}

/** One conditional update: of two uploads with one ticket the second finds it taken. Returns the holder. */
export async function holdTicket({ clock, engine }: Deps, { key }: TicketRow): Promise<string> {
  const holder = randomUUID()
  const isMine = await transaction(engine, async (tx) => {
    const held = tx.updateTable('upload_tickets').set({ held_by: holder }).where('key', '=', key)
    return isOne(await held.where('held_by', 'is', null).where('expires_at', '>', clock.now()).executeTakeFirst())
  })
  if (!isMine) throw ticketNotFound()
  return holder
}

/** An upload that failed through no fault of its bytes may be repeated. */
export const giveBackTicket = (engine: Engine, { key }: TicketRow, holder: string) =>
  transaction(engine, async (tx) => {
    const given = tx.updateTable('upload_tickets').set({ held_by: null })
    await given.where('key', '=', key).where('held_by', '=', holder).execute()
  })

/** False when the ticket was removed meanwhile. */
export async function useUpTicket(tx: Tx, { key }: TicketRow, holder: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('upload_tickets')
    .where('key', '=', key)
    .where('held_by', '=', holder)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

const isOne = ({ numUpdatedRows }: { numUpdatedRows: bigint }): boolean => numUpdatedRows === 1n
