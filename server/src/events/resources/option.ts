import { z } from 'zod'
import { nameText, text, url } from '../../base/fields.ts'

const about = {
  label: { description: 'The text of the option.', examples: ['Tea'] },
  imageUrl: {
    description: 'The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot.',
    examples: ['https://polls.example.com/files/q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.webp'],
  },
  imageAlt: {
    description: 'A description of the picture for people who cannot see it, or null.',
    examples: ['A cup of green tea'],
  },
}

const imageUrl = z.string().max(2_048).nullable().optional().meta(about.imageUrl)
const imageAlt = text(1, 200).nullable().optional().meta(about.imageAlt)
const label = nameText(1, 80)
export const option = z.strictObject({ label: label.meta(about.label), imageUrl, imageAlt })
export const optionPatch = z.strictObject({ label: label.optional().meta(about.label), imageUrl, imageAlt })

/** Invisible: soft hyphens, word joiners, direction marks. Zero-width joiners change how emoji and Arabic look, so they stay. */
const UNSEEN = /[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

const seen = (label: string): string => label.normalize('NFC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim()

/** Whether a reader sees the same label twice. Case is seen: `e-mail` or `E-Mail` is a question that a poll may ask. */
export const isSameLabel = (left: string, right: string): boolean => seen(left) === seen(right)

export const SAME_LABEL = {
  path: 'optionB.label',
  code: 'same_label',
  message: 'The two options need different labels.',
}

/** The zod issue for a body with one label for both options. */
export const labelRule = {
  path: SAME_LABEL.path.split('.'),
  error: SAME_LABEL.message,
  params: { code: SAME_LABEL.code },
}

export const imagesPatch = z
  .strictObject({
    combined: imageUrl.describe('One picture for both options, or null to let the service compose one.'),
  })
  .meta({ description: 'Pictures of the poll as a whole.', examples: [{ combined: null }] })

export const optionAnswer = z
  .object({
    label: z.string().meta(about.label),
    imageUrl: url.nullable().meta(about.imageUrl),
    imageAlt: z.string().nullable().meta(about.imageAlt),
  })
  .meta({ id: 'PollOption', description: 'One of the two options of a poll.' })

const pictureOf = (what: string) =>
  url.nullable().meta({ description: `The picture of ${what}, or null.`, examples: [null] })

export const imageVariant = z.object({
  url: url.meta({
    description: 'The address of this copy.',
    examples: ['https://polls.example.com/files/q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB-640.webp'],
  }),
  width: z
    .int()
    .positive()
    .meta({ description: 'Its width in pixels.', examples: [640] }),
  slot: z.enum(['optionA', 'optionB', 'combined']).describe('Which picture it is a copy of.'),
})

export const images = z.object({
  optionA: pictureOf('option A'),
  optionB: pictureOf('option B'),
  combined: pictureOf('both options together'),
})
