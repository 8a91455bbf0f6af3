import { z } from 'zod'
import { url } from '../../base/fields.ts'
import { MOST_PICTURE_BYTES } from '../../storage/pictures/inbox.ts'
import { ASSET_SLOTS, ASSET_TYPES, FAVICON_TYPES, POLL_SLOTS, POLL_TYPES } from './slots.ts'

const MOST_ASSET_BYTES = 2 * 1024 * 1024

const KEY = 'q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.png'
const PUBLIC_URL = `https://polls.example.com/files/${KEY}`

/** The words and the example of each field that bodies and answers share. */
const about = {
  slot: { description: 'What the picture is for. It can be used for nothing else.' },
  contentType: { description: 'What the bytes are.', examples: ['image/png'] },
  byteSize: { description: 'How many bytes there are.', examples: [48_213] },
  key: { description: 'The name of the file.', examples: [KEY] },
  publicUrl: { description: 'The address of the picture, and what a poll or a theme is told.', examples: [PUBLIC_URL] },
}

export const pollTicketBody = z
  .strictObject({
    slot: z.enum(POLL_SLOTS).meta(about.slot),
    contentType: z.enum(POLL_TYPES).meta(about.contentType),
    byteSize: z.int().min(1).max(MOST_PICTURE_BYTES).optional().meta(about.byteSize),
  })
  .meta({ id: 'PollImageTicketCreate', description: 'The picture that is to be uploaded for a poll.' })

export const assetTicketBody = z
  .strictObject({
    slot: z.enum(ASSET_SLOTS).meta(about.slot),
    contentType: z.enum(ASSET_TYPES).meta(about.contentType),
    byteSize: z.int().min(1).max(MOST_ASSET_BYTES).meta(about.byteSize),
  })
  .refine(({ slot, contentType }) => slot !== 'favicon' || FAVICON_TYPES.includes(contentType), {
    path: ['contentType'],
    error: `A favicon is one of ${FAVICON_TYPES.join(', ')}.`,
    params: { code: 'invalid_value' },
  })
  .meta({
    id: 'ThemeAssetTicketCreate',
    description: `The picture that is to be uploaded for a theme. A favicon is one of ${FAVICON_TYPES.join(', ')}.`,
  })

export const ticket = z
  .object({
    uploadUrl: url.meta({
      description: 'Where the bytes go. The address is the credential.',
      examples: [`https://polls.example.com/uploads/${KEY}?signature=3sM0Xy7Qd1fKbZ9LrT5wVnC2eHgJ8aUoPiYk4tRxB6E`],
    }),
    key: z.string().meta(about.key),
    publicUrl: url.meta(about.publicUrl),
    expiresIn: z
      .int()
      .positive()
      .meta({ description: 'For how many seconds the ticket is valid.', examples: [600] }),
    method: z.literal('PUT').describe('The method of the upload.'),
    headers: z.record(z.string(), z.string()).meta({
      description: 'The headers that the upload must send.',
      examples: [{ 'Content-Type': 'image/png' }],
    }),
  })
  .meta({ id: 'UploadTicket', description: 'How to upload one picture.' })

export type Ticket = z.infer<typeof ticket>

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
  .meta({ id: 'UploadedFile', description: 'A picture as it is stored.' })

export type UploadedFile = z.infer<typeof uploadedFile>
