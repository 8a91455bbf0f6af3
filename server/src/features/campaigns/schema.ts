import { z } from 'zod'
import { idOf, instant, isUnique, nameText, text, timestamp, uuid } from '../../base/fields.ts'
import { brandSummary } from '../brands/schema.ts'
import { pollListItem, tallies } from '../polls/schema.ts'
import { isEmptyWindow } from '../polls/status.ts'

const STATES = ['published', 'draft', 'archived'] as const
const STATUSES = ['open', 'closed', 'scheduled'] as const
const MOST_POLLS = 100

export const campaignParams = z.object({ campaignId: idOf('campaign').toLowerCase() })

const isEachOnce = (ids: readonly string[]): boolean => isUnique(ids.map((id) => id.toLowerCase()))

const polstIds = z
  .array(idOf('poll (not its slug or shortId)'))
  .min(1)
  .max(MOST_POLLS)
  .refine(isEachOnce, { error: 'No poll may be given twice.', params: { code: 'repeated' } })

const title = nameText(1, 120)

export const EMPTY_WINDOW = {
  path: 'closesAt',
  code: 'before_opens_at',
  message: 'A campaign must open before it closes.',
}

const settings = {
  title: title.optional(),
  name: title.meta({ description: 'The same as `title`.' }).optional(),
  description: text(1, 500).nullable().optional(),
  isPublic: z.boolean().optional(),
  opensAt: instant.nullable().optional(),
  closesAt: instant.nullable().optional(),
  state: z.enum(STATES).optional(),
}

interface Given {
  readonly title?: string | undefined
  readonly name?: string | undefined
  readonly opensAt?: number | null | undefined
  readonly closesAt?: number | null | undefined
}

const hasOneTitle = ({ title: one, name: other }: Given): boolean =>
  one === undefined || other === undefined || one === other

const hasWindow = ({ opensAt = null, closesAt = null }: Given): boolean =>
  !isEmptyWindow({ opens_at: opensAt, closes_at: closesAt })

const twoTitles = { path: ['name'], error: 'Not the same as title.', params: { code: 'differs_from_title' } }
const noTitle = { path: ['title'], error: 'Required.', params: { code: 'required' } }
const emptyWindow = { path: [EMPTY_WINDOW.path], error: EMPTY_WINDOW.message, params: { code: EMPTY_WINDOW.code } }

/** From here on a title has one name. */
const underOneName = <Body extends Given>({ name, ...body }: Body) => ({ ...body, title: body.title ?? name })

export const createCampaignBody = z
  .strictObject({ ...settings, polstIds })
  .refine(hasOneTitle, twoTitles)
  .refine(hasWindow, emptyWindow)
  .refine((body) => (body.title ?? body.name) !== undefined, noTitle)
  .meta({ id: 'CampaignCreate' })
  .transform((body) => ({ ...underOneName(body), title: body.title ?? body.name ?? '' }))

export const updateCampaignBody = z
  .strictObject({ ...settings, polstIds: polstIds.optional() })
  .refine(hasOneTitle, twoTitles)
  .refine(hasWindow, emptyWindow)
  .meta({ id: 'CampaignUpdate' })
  .transform(underOneName)

export type CreateCampaign = z.infer<typeof createCampaignBody>
export type UpdateCampaign = z.infer<typeof updateCampaignBody>

const count = z.int().nonnegative()

const shared = {
  campaignId: uuid,
  title: z.string(),
  description: z.string().nullable(),
  polsts: z.array(pollListItem),
  totalSteps: count,
  polstCount: count,
  brand: brandSummary,
  status: z.enum(STATUSES),
  state: z.enum(STATES),
  isPublic: z.boolean(),
  opensAt: timestamp.nullable(),
  closesAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
}

export const publicCampaign = z.strictObject(shared).meta({ id: 'Campaign' })

export const ownedCampaign = z
  .strictObject({
    ...shared,
    withheldPolstIds: z.array(uuid),
    responsesProgress: z.strictObject({ isComplete: z.boolean(), votesRead: count, votesToRead: count }),
  })
  .meta({ id: 'OwnedCampaign' })

export const campaignTallies = z
  .strictObject({
    campaignId: uuid,
    polsts: z.array(z.strictObject({ slug: z.string(), status: z.enum(STATUSES), tallies })),
  })
  .meta({ id: 'CampaignTallies' })

export type PublicCampaign = z.infer<typeof publicCampaign>
export type OwnedCampaign = z.infer<typeof ownedCampaign>
export type CampaignTallies = z.infer<typeof campaignTallies>
