import { z } from 'zod'
import { url } from '../../base/fields.ts'
import { MOST_PICTURE_BYTES } from '../../files/pictures/container.ts'
import { ASSET_SLOTS, ASSET_TYPES, FAVICON_TYPES, POLL_SLOTS, POLL_TYPES } from './files.ts'

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
    error: `A favicon must be one of ${FAVICON_TYPES.join(', ')}.`,
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
  .meta({ id: 'UploadedFile', description: 'A stored picture.' })

export type UploadedFile = z.infer<typeof uploadedFile>
