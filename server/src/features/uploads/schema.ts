import { z } from 'zod'
import { url } from '../../base/fields.ts'
import { MOST_PICTURE_BYTES } from '../../storage/pictures/inbox.ts'
import { ASSET_SLOTS, ASSET_TYPES, FAVICON_TYPES, POLL_SLOTS, POLL_TYPES } from './slots.ts'

const MOST_ASSET_BYTES = 2 * 1024 * 1024

export const pollTicketBody = z
  .strictObject({
    slot: z.enum(POLL_SLOTS),
    contentType: z.enum(POLL_TYPES),
    byteSize: z.int().min(1).max(MOST_PICTURE_BYTES).optional(),
  })
  .meta({ id: 'PollImageTicketCreate' })

export const assetTicketBody = z
  .strictObject({
    slot: z.enum(ASSET_SLOTS),
    contentType: z.enum(ASSET_TYPES),
    byteSize: z.int().min(1).max(MOST_ASSET_BYTES),
  })
  .refine(({ slot, contentType }) => slot !== 'favicon' || FAVICON_TYPES.includes(contentType), {
    path: ['contentType'],
    error: `A favicon is one of ${FAVICON_TYPES.join(', ')}.`,
    params: { code: 'invalid_value' },
  })
  .meta({ id: 'ThemeAssetTicketCreate' })

export const ticket = z
  .strictObject({
    uploadUrl: url,
    key: z.string(),
    publicUrl: url,
    expiresIn: z.int().positive(),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()),
  })
  .meta({ id: 'UploadTicket' })

export type Ticket = z.infer<typeof ticket>

export const uploadedFile = z
  .strictObject({
    key: z.string(),
    publicUrl: url,
    contentType: z.string(),
    byteSize: z.int().positive(),
    width: z.int().positive(),
    height: z.int().positive(),
  })
  .meta({ id: 'UploadedFile' })

export type UploadedFile = z.infer<typeof uploadedFile>
