import { z } from 'zod'
import { instant, isUnique, nameText, text, timestamp, url, uuid } from '../../base/fields.ts'
import { isUuid } from '../../base/ids.ts'
import { brandSummary } from '../brands/schema.ts'
import { foldTitle } from './queries.ts'
import { VISIBILITIES } from './results.ts'
import { isEmptyWindow } from './status.ts'

const STATUSES = ['open', 'closed', 'scheduled'] as const

export const pollParams = z.object({ slug: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/) })

const slug = z
  .string()
  .regex(/^[a-z0-9-]{1,128}$/, 'Lower-case letters, digits and hyphens, 1 to 128 of them.')
  .refine((value) => !isUuid(value), { error: 'A slug may not look like a UUID.', params: { code: 'uuid_shaped' } })

const imageUrl = z.string().max(2_048).nullable()
const imageAlt = text(1, 200).nullable()
const label = nameText(1, 80)
const option = z.strictObject({ label, imageUrl: imageUrl.optional(), imageAlt: imageAlt.optional() })
const optionPatch = z.strictObject({
  label: label.optional(),
  imageUrl: imageUrl.optional(),
  imageAlt: imageAlt.optional(),
})

const noRepeats = { error: 'No value may be given twice.', params: { code: 'repeated' } }

export const EMPTY_WINDOW = {
  path: 'closesAt',
  code: 'before_opens_at',
  message: 'A poll must open before it closes.',
}

const emptyWindow = { path: [EMPTY_WINDOW.path], error: EMPTY_WINDOW.message, params: { code: EMPTY_WINDOW.code } }

type GivenWindow = { opensAt?: number | null | undefined; closesAt?: number | null | undefined }

const hasWindow = ({ opensAt = null, closesAt = null }: GivenWindow): boolean =>
  !isEmptyWindow({ opens_at: opensAt, closes_at: closesAt })

const settings = {
  isDraft: z.boolean().optional(),
  isPrivate: z.boolean().optional(),
  tags: z.array(text(1, 40)).max(20).refine(isUnique, noRepeats).optional(),
  categoryIds: z
    .array(z.uuid({ error: 'The id of a category, which is a UUID.' }).toLowerCase())
    .max(20)
    .refine(isUnique, noRepeats)
    .optional(),
  opensAt: instant.nullable().optional(),
  closesAt: instant.nullable().optional(),
  resultsVisibility: z.enum(VISIBILITIES).optional(),
}

export const createPollBody = z
  .strictObject({ title: nameText(1, 200), optionA: option, optionB: option, slug: slug.optional(), ...settings })
  .refine(hasWindow, emptyWindow)
  .meta({ id: 'PollCreate' })

export const updatePollBody = z
  .strictObject({
    title: nameText(1, 200).optional(),
    optionA: optionPatch.optional(),
    optionB: optionPatch.optional(),
    images: z.strictObject({ combined: imageUrl.optional() }).optional(),
    archived: z.boolean().optional(),
    ...settings,
  })
  .refine(hasWindow, emptyWindow)
  .meta({ id: 'PollUpdate' })

export type CreatePoll = z.infer<typeof createPollBody>
export type UpdatePoll = z.infer<typeof updatePollBody>

const flagParam = z.enum(['true', 'false']).transform((value) => value === 'true')

/** What is compared without regard to case arrives folded, so that a cursor holds in every spelling. */
export const ownedPollsQuery = z.object({
  status: z.enum(STATUSES).optional(),
  isDraft: flagParam.optional(),
  archived: flagParam.optional(),
  tag: text(1, 40).optional(),
  category: z.string().min(1).max(128).toLowerCase().optional(),
  q: text(1, 200).transform(foldTitle).optional(),
})

export const feedQuery = z.object({
  status: z.enum(['all', 'open', 'closed']).default('all'),
  order: z.enum(['recent', 'popular', 'closing']).default('recent'),
})

export const tallies = z
  .strictObject({
    optionA: z.int().nonnegative(),
    optionB: z.int().nonnegative(),
    total: z.int().nonnegative(),
    hidden: z.literal(true).optional(),
  })
  .meta({ id: 'Tallies' })

const optionAnswer = z
  .strictObject({ label: z.string(), imageUrl: url.nullable(), imageAlt: z.string().nullable() })
  .meta({ id: 'PollOption' })

export const category = z.strictObject({ id: uuid, slug: z.string(), name: z.string() }).meta({ id: 'Category' })

const listItem = {
  id: uuid,
  slug: z.string(),
  title: z.string(),
  optionA: optionAnswer,
  optionB: optionAnswer,
  images: z.strictObject({ optionA: url.nullable(), optionB: url.nullable(), combined: url.nullable() }),
  imageVariants: z.array(
    z.strictObject({ url, width: z.int().positive(), slot: z.enum(['optionA', 'optionB', 'combined']) }),
  ),
  tallies,
  status: z.enum(STATUSES),
  brand: brandSummary.nullable(),
  createdAt: timestamp,
}

const single = {
  ...listItem,
  isDraft: z.boolean(),
  isPrivate: z.boolean(),
  updatedAt: timestamp,
  tags: z.array(z.string()),
  categories: z.array(category),
  shortId: z.string(),
  opensAt: timestamp.nullable(),
  closesAt: timestamp.nullable(),
  resultsVisibility: z.enum(VISIBILITIES),
  shareUrl: url,
  revisedAt: timestamp.nullable(),
}

export const pollListItem = z.strictObject(listItem).meta({ id: 'PollListItem' })
export const publicPoll = z.strictObject(single).meta({ id: 'Poll' })
export const ownedPoll = z.strictObject({ ...single, archivedAt: timestamp.nullable() }).meta({ id: 'OwnedPoll' })
export const talliesAnswer = z
  .strictObject({ slug: z.string(), status: z.enum(STATUSES), tallies, updatedAt: timestamp })
  .meta({ id: 'PollTallies' })

export type PollListItem = z.infer<typeof pollListItem>
export type PublicPoll = z.infer<typeof publicPoll>
export type OwnedPoll = z.infer<typeof ownedPoll>
