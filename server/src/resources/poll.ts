// resources: the wire shapes of polls, campaigns, brands and themes, which routes, events and presenters share.
// Imports rooms: base.

import { z } from 'zod'
import { nameText, status, text, timestamp, uniqueList, url, uuid } from '../base/fields.ts'
import { isUuid } from '../base/ids.ts'
import { brandSummary } from './brand.ts'
import { category } from './category.ts'
import { images, imagesPatch, imageVariant, option, optionAnswer, optionPatch } from './option.ts'
import { tallies } from './tallies.ts'
import { isEmptyWindow, windowAnswer, windowInput, windowRule } from './window.ts'

export const VISIBILITIES = ['always', 'after_vote', 'after_close', 'never'] as const

/** The words and the example of each field that bodies and answers share. */
const about = {
  title: { description: 'The question.', examples: ['Tea or coffee?'] },
  slug: {
    description: 'The readable name of the poll in addresses, unique in the service.',
    examples: ['tea-or-coffee'],
  },
  optionA: { description: 'The first option.', examples: [{ label: 'Tea', imageUrl: null, imageAlt: null }] },
  optionB: { description: 'The second option.', examples: [{ label: 'Coffee', imageUrl: null, imageAlt: null }] },
  isDraft: { description: 'Whether the poll is a draft: only its owner sees it.', examples: [false] },
  isPrivate: {
    description: 'Whether the poll is left out of every feed. Its link works for everybody.',
    examples: [false],
  },
  tags: { description: "The owner's own words to find the poll by.", examples: [['drinks']] },
  resultsVisibility: {
    description:
      'Who sees the results: `always` everybody; `after_vote` those who have voted; `after_close` everybody once the poll has closed; `never` the owner alone.',
    examples: ['always'],
  },
}

export const pollParams = z.object({
  slug: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .meta({
      description: 'The slug, the shortId or the id of the poll.',
      examples: ['tea-or-coffee'],
    }),
})

const slug = z
  .string()
  .regex(/^[a-z0-9-]{1,128}$/, 'Lower-case letters, digits and hyphens, 1 to 128 of them.')
  .refine((value) => !isUuid(value), { error: 'A slug may not look like a UUID.', params: { code: 'uuid_shaped' } })

const categoryId = z.uuid({ error: 'The id of a category, which is a UUID.' }).toLowerCase()

const settings = {
  isDraft: z.boolean().optional().meta(about.isDraft),
  isPrivate: z.boolean().optional().meta(about.isPrivate),
  tags: uniqueList(text(1, 40), { most: 20 }).optional().meta(about.tags),
  categoryIds: uniqueList(categoryId, { most: 20 })
    .optional()
    .meta({
      description: "The ids of the operator's categories that the poll belongs to.",
      examples: [['0b8f6f0e-6a0c-4c3b-9a0f-4a1b6f2d9c11']],
    }),
  ...windowInput,
  resultsVisibility: z.enum(VISIBILITIES).optional().meta(about.resultsVisibility),
}

export const createPollBody = z
  .strictObject({
    title: nameText(1, 200).meta(about.title),
    optionA: option.meta(about.optionA),
    optionB: option.meta(about.optionB),
    slug: slug.optional().meta(about.slug),
    ...settings,
  })
  .refine((body) => !isEmptyWindow(body), windowRule)
  .meta({ id: 'PollCreate', description: 'A new poll.' })

export const updatePollBody = z
  .strictObject({
    title: nameText(1, 200).optional().meta(about.title),
    optionA: optionPatch.optional().meta(about.optionA),
    optionB: optionPatch.optional().meta(about.optionB),
    images: imagesPatch.optional(),
    archived: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether the poll is archived: it takes no votes and is in no feed. Its link still shows it.',
        examples: [false],
      }),
    ...settings,
  })
  .refine((body) => !isEmptyWindow(body), windowRule)
  .meta({
    id: 'PollUpdate',
    description:
      'What to change. An absent field stays. Options and images are merged field by field; lists are replaced.',
  })

const listItem = {
  id: uuid.describe('Names the poll for ever.'),
  slug: z.string().meta(about.slug),
  title: z.string().meta(about.title),
  optionA: optionAnswer.meta(about.optionA),
  optionB: optionAnswer.meta(about.optionB),
  images: images.describe('The addresses of all pictures.'),
  imageVariants: z.array(imageVariant).meta({ description: 'Narrower copies of the pictures.', examples: [[]] }),
  tallies: tallies.describe('The counts, as far as this caller may see them.'),
  status,
  brand: brandSummary.nullable().describe('The brand that owns the poll, or null.'),
  createdAt: timestamp.describe('When the poll was created.'),
}

const single = {
  ...listItem,
  isDraft: z.boolean().meta(about.isDraft),
  isPrivate: z.boolean().meta(about.isPrivate),
  updatedAt: timestamp.describe('When its owner last changed it.'),
  tags: z.array(z.string()).meta(about.tags),
  categories: z.array(category).describe('The categories that the poll belongs to.'),
  shortId: z.string().meta({
    description: 'The short name of the poll, for links: 12 characters that never change.',
    examples: ['Xk3_pQ9vZ2Lm'],
  }),
  ...windowAnswer,
  resultsVisibility: z.enum(VISIBILITIES).meta(about.resultsVisibility),
  shareUrl: url.meta({
    description: 'The page of the poll, to be shared.',
    examples: ['https://polls.example.com/p/Xk3_pQ9vZ2Lm'],
  }),
  revisedAt: timestamp.nullable().meta({
    description: 'When the title or a label was last changed after the first vote; null where that never happened.',
    examples: [null],
  }),
}

export const pollListItem = z.object(listItem).meta({ id: 'PollListItem', description: 'A poll in a list.' })

export const publicPoll = z.object(single).meta({ id: 'Poll', description: 'A poll as anybody sees it.' })

export const ownedPoll = z
  .object({
    ...single,
    archivedAt: timestamp
      .nullable()
      .meta({ description: 'When it was archived; null where it is not.', examples: [null] }),
  })
  .meta({ id: 'OwnedPoll', description: 'A poll as its owner sees it.' })

export type CreatePoll = z.infer<typeof createPollBody>
export type UpdatePoll = z.infer<typeof updatePollBody>
export type PollListItem = z.infer<typeof pollListItem>
export type PublicPoll = z.infer<typeof publicPoll>
export type OwnedPoll = z.infer<typeof ownedPoll>
