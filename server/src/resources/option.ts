import { z } from 'zod'
import { nameText, text, url } from '../base/fields.ts'

const about = {
  label: { description: 'The words of the option.', examples: ['Tea'] },
  imageUrl: {
    description: 'The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot.',
    examples: ['https://polls.example.com/files/q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.webp'],
  },
  imageAlt: {
    description: 'What the picture shows, for those who cannot see it; or null.',
    examples: ['A cup of green tea'],
  },
}

const imageUrl = z.string().max(2_048).nullable().optional().meta(about.imageUrl)
const imageAlt = text(1, 200).nullable().optional().meta(about.imageAlt)
const label = nameText(1, 80)
export const option = z.strictObject({ label: label.meta(about.label), imageUrl, imageAlt })
export const optionPatch = z.strictObject({ label: label.optional().meta(about.label), imageUrl, imageAlt })

export const imagesPatch = z
  .strictObject({
    combined: imageUrl.describe('One picture for both options, or null for the one that the service composes.'),
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
