// events/resources: the wire shapes of polls, campaigns, brands and themes, which routes, events and presenters share.
import { z } from 'zod'
import { idOf, nameText, status, timestamp, uniqueList, url, uuid } from '../../base/fields.ts'
import { isUuid } from '../../base/ids.ts'
import { folded } from '../../base/text.ts'
import { brandSummary, isReservedSlug } from './brand.ts'
import { tallies } from './tallies.ts'
import { isEmptyWindow, windowAnswer, windowInput, windowRule } from './window.ts'

const aboutOption = {
  label: { description: 'The text of the option.', examples: ['Tea'] },
  imageUrl: {
    description: 'The picture of the option, or null. To set it, send the `publicUrl` of an upload for this slot.',
    examples: ['https://polls.example.com/files/q3Zk0d1nYw8vT5mBq3Zk0d1nYw8vT5mB.webp'],
  },
  imageAlt: {
    description: 'A description of the picture for people who cannot see it, or null.',
    examples: ['A cup of green tea'],
  },
  fit: {
    description:
      'How the picture fills its frame: `cover` cuts off what does not fit, around the focal point; `contain` shows all of it.',
    examples: ['cover'],
  },
  focusX: {
    description:
      'The focal point of the picture, which stays in sight where the frame cuts: 0 is its left edge, 1 its right one. Stored with four decimals.',
    examples: [0.5],
  },
  focusY: { description: 'The same from the top, 0, to the bottom, 1.', examples: [0.5] },
}

const imageUrl = z.string().max(2_048).nullable().optional().meta(aboutOption.imageUrl)
const imageAlt = nameText(1, 200).nullable().optional().meta(aboutOption.imageAlt)
const label = nameText(1, 80)
const fit = z.enum(['cover', 'contain'])
const focus = z.number().min(0).max(1)
const pictureInput = {
  imageUrl,
  imageAlt,
  fit: fit.optional().meta(aboutOption.fit),
  focusX: focus.optional().meta(aboutOption.focusX),
  focusY: focus.optional().meta(aboutOption.focusY),
}
export const option = z.strictObject({ label: label.meta(aboutOption.label), ...pictureInput })
const optionPatch = z.strictObject({ label: label.optional().meta(aboutOption.label), ...pictureInput })

/** Invisible: soft hyphens, word joiners, direction marks. Zero-width joiners change how emoji and Arabic look, so they stay. */
const UNSEEN = /[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

const seen = (label: string): string => label.normalize('NFC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim()

/** Whether a reader sees the same label twice. Case is seen: `e-mail` or `E-Mail` is a question that a poll may ask. */
export const isSameLabel = (left: string, right: string): boolean => seen(left) === seen(right)

export const SAME_LABEL = {
  path: 'optionB.label',
  code: 'same_label',
  message: 'Must differ from the label of option A.',
}

/** The zod issue for a body with one label for both options. */
const labelRule = {
  path: SAME_LABEL.path.split('.'),
  error: SAME_LABEL.message,
  params: { code: SAME_LABEL.code },
}

const imagesPatch = z
  .strictObject({
    combined: imageUrl.describe('One picture for both options, or null to let the service compose one.'),
  })
  .meta({ description: 'Pictures of the poll as a whole.', examples: [{ combined: null }] })

const optionAnswer = z
  .object({
    label: z.string().meta(aboutOption.label),
    imageUrl: url.nullable().meta(aboutOption.imageUrl),
    imageAlt: z.string().nullable().meta(aboutOption.imageAlt),
    fit: fit.meta(aboutOption.fit),
    focusX: focus.meta(aboutOption.focusX),
    focusY: focus.meta(aboutOption.focusY),
    // In the option, because the items of lists have no field beyond those of the specification.
    shuffled: z
      .literal(true)
      .optional()
      .meta({
        description:
          'Present where the `optionOrder` of the poll is `random`: each device draws which option comes first.',
        examples: [true],
      }),
  })
  .meta({ id: 'PollOption', description: 'One of the two options of a poll.' })

const pictureOf = (what: string) =>
  url.nullable().meta({ description: `The picture of ${what}, or null.`, examples: [null] })

const imageVariant = z.object({
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

const images = z.object({
  optionA: pictureOf('option A'),
  optionB: pictureOf('option B'),
  combined: pictureOf('both options together'),
})

export const category = z
  .object({
    id: uuid.describe('The permanent id of the category.'),
    slug: z.string().meta({ description: 'The readable name of the category.', examples: ['food-and-drink'] }),
    name: z.string().meta({ description: 'The name to show.', examples: ['Food and drink'] }),
  })
  .meta({ id: 'Category', description: "One of the operator's categories." })

const CHALLENGE_MODES = ['off', 'adaptive', 'always'] as const

const ADMISSIONS = ['open', 'code'] as const

const OPTION_ORDERS = ['fixed', 'random'] as const

export const VISIBILITIES = ['always', 'after_vote', 'after_close', 'never'] as const

const optionExample = (label: string) =>
  ({ label, imageUrl: null, imageAlt: null, fit: 'cover', focusX: 0.5, focusY: 0.5 }) as const

/** The description and example of each field, shared by bodies and answers. */
const about = {
  title: { description: 'The question.', examples: ['Tea or coffee?'] },
  slug: { description: 'The readable name of the poll in URLs, unique in the service.', examples: ['tea-or-coffee'] },
  optionA: { description: 'The first option.', examples: [optionExample('Tea')] },
  optionB: { description: 'The second option.', examples: [optionExample('Coffee')] },
  isDraft: { description: 'Whether the poll is a draft: only its owner sees it.', examples: [false] },
  isPrivate: {
    description: 'Whether the poll is omitted from every feed. Its link works for everybody.',
    examples: [false],
  },
  tags: { description: 'Keywords of the owner to find the poll by.', examples: [['drinks']] },
  resultsVisibility: {
    description:
      'Who sees the results: `always`: everybody; `after_vote`: voters; `after_close`: everybody once the poll has closed; `never`: only the owner.',
    examples: ['always'],
  },
  resultsBeforeVote: {
    description: 'Whether cards offer to show results that everybody may see to those who have not voted.',
    examples: [false],
  },
  optionOrder: {
    description:
      'The order in which cards show the options: `fixed`: A first; `random`: drawn once for each device and poll, so that the order favours neither. Their letters stay the same.',
    examples: ['fixed'],
  },
  codeListId: {
    description:
      'The code list whose codes vote on the poll, each once, or null: then every device votes. Fixed from the first vote on. The published polls of a campaign have one list, or none.',
    examples: [null],
  },
  admission: {
    description:
      'Who votes: `open`: every device, once; `code`: whoever sends a code in `X-Vote-Code`, once for each code.',
    examples: ['open'],
  },
  challenge: {
    description:
      'Whether a vote must bring the solution of a challenge, which costs its device some computing: `off`: never; `adaptive`: while unusually many votes come from its network or to the poll; `always`: each time.',
    examples: ['off'],
  },
}

export const pollParams = z.object({
  slug: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .meta({ description: 'The slug, the shortId or the id of the poll.', examples: ['tea-or-coffee'] }),
})

const slug = z
  .string()
  .regex(
    /^(?!-)[a-z0-9-]{1,128}(?<!-)$/,
    'Must have 1 to 128 lower-case letters, digits and hyphens, no hyphen at either end.',
  )
  .refine((value) => !isUuid(value), { error: 'Must not look like a UUID.', params: { code: 'uuid_shaped' } })
  .refine((value) => !isReservedSlug(value), {
    error: 'Must not be a word of our own addresses.',
    params: { code: 'reserved_slug' },
  })

const categoryId = z.uuid({ error: 'Must be the id of a category, a UUID.' }).toLowerCase()

const settings = {
  isDraft: z.boolean().optional().meta(about.isDraft),
  isPrivate: z.boolean().optional().meta(about.isPrivate),
  tags: uniqueList(nameText(1, 40), { most: 20, sameBy: folded }).optional().meta(about.tags),
  categoryIds: uniqueList(categoryId, { most: 20 })
    .optional()
    .meta({
      description: "The ids of the operator's categories that the poll belongs to.",
      examples: [['0b8f6f0e-6a0c-4c3b-9a0f-4a1b6f2d9c11']],
    }),
  ...windowInput,
  resultsVisibility: z.enum(VISIBILITIES).optional().meta(about.resultsVisibility),
  resultsBeforeVote: z.boolean().optional().meta(about.resultsBeforeVote),
  optionOrder: z.enum(OPTION_ORDERS).optional().meta(about.optionOrder),
  challenge: z.enum(CHALLENGE_MODES).optional().meta(about.challenge),
  codeListId: idOf('code list').nullable().optional().meta(about.codeListId),
}

const hasSameLabels = (left: string | undefined, right: string | undefined): boolean =>
  left !== undefined && right !== undefined && isSameLabel(left, right)

export const createPollBody = z
  .strictObject({
    title: nameText(1, 200).meta(about.title),
    optionA: option.meta(about.optionA),
    optionB: option.meta(about.optionB),
    slug: slug.optional().meta(about.slug),
    ...settings,
  })
  .refine((body) => !isSameLabel(body.optionA.label, body.optionB.label), labelRule)
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
        description: 'Whether the poll is archived: it accepts no votes and is in no feed, but its link still works.',
        examples: [false],
      }),
    ...settings,
  })
  .refine(({ optionA, optionB }) => !hasSameLabels(optionA?.label, optionB?.label), labelRule)
  .refine((body) => !isEmptyWindow(body), windowRule)
  .meta({
    id: 'PollUpdate',
    description:
      'The fields to change. Omitted fields keep their value. Options and images are merged field by field; lists are replaced.',
  })

const listItem = {
  id: uuid.describe('The permanent id of the poll.'),
  slug: z.string().meta(about.slug),
  title: z.string().meta(about.title),
  optionA: optionAnswer.meta(about.optionA),
  optionB: optionAnswer.meta(about.optionB),
  images: images.describe('The addresses of all pictures.'),
  imageVariants: z.array(imageVariant).meta({ description: 'Narrower copies of the pictures.', examples: [[]] }),
  tallies: tallies.describe('The counts; 0 if they are hidden from this caller.'),
  status,
  brand: brandSummary.nullable().describe('The brand that owns the poll, or null.'),
  createdAt: timestamp.describe('When the poll was created.'),
  admission: z
    .enum(ADMISSIONS)
    .optional()
    .meta({
      description: 'In a list only where it is `code`: the poll takes votes by code alone.',
      examples: ['code'],
    }),
}

const single = {
  ...listItem,
  admission: z.enum(ADMISSIONS).meta(about.admission),
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
  resultsBeforeVote: z.boolean().meta(about.resultsBeforeVote),
  optionOrder: z.enum(OPTION_ORDERS).meta(about.optionOrder),
  challenge: z.enum(CHALLENGE_MODES).meta(about.challenge),
  shareUrl: url.meta({
    description: 'The URL of the poll, for sharing.',
    examples: ['https://polls.example.com/p/Xk3_pQ9vZ2Lm'],
  }),
  revisedAt: timestamp.nullable().meta({
    description: 'When the title or a label was last changed after the first vote, or null.',
    examples: [null],
  }),
}

export const pollListItem = z.object(listItem).meta({ id: 'PollListItem', description: 'A poll in a list.' })

export const publicPoll = z.object(single).meta({ id: 'Poll', description: 'A poll as the public sees it.' })

export const ownedPoll = z
  .object({
    ...single,
    archivedAt: timestamp.nullable().meta({ description: 'When it was archived, or null.', examples: [null] }),
    codeListId: uuid.nullable().meta(about.codeListId),
  })
  .meta({ id: 'OwnedPoll', description: 'A poll as its owner sees it.' })

export type CreatePoll = z.infer<typeof createPollBody>
export type UpdatePoll = z.infer<typeof updatePollBody>
export type PollListItem = z.infer<typeof pollListItem>
export type PublicPoll = z.infer<typeof publicPoll>
export type OwnedPoll = z.infer<typeof ownedPoll>
