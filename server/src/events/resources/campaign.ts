import { z } from 'zod'
import { count, idOf, nameText, status, text, timestamp, uniqueList, uuid } from '../../base/fields.ts'
import { brandSummary } from './brand.ts'
import { pollListItem } from './poll.ts'
import { tallies } from './tallies.ts'
import { isEmptyWindow, windowAnswer, windowInput, windowRule } from './window.ts'

const STATES = ['published', 'draft', 'archived'] as const
const MOST_POLLS = 100
const POLL_IDS = [['7c9e6679-7425-40de-944b-e07fc1f90ae7', '16fd2706-8baf-433b-82eb-8c7fada847da']]

/** The description and example of each field, shared by bodies and answers. */
const about = {
  title: { description: 'The title, unique among the campaigns of the brand.', examples: ['Breakfast week'] },
  description: { description: 'A description for visitors, or null.', examples: ['Five polls about breakfast.'] },
  isPublic: {
    description: "Whether it is in the brand's public list. Its link works in any case.",
    examples: [true],
  },
  state: {
    description: '`published`: visible to everybody; `draft` and `archived`: visible to its owner alone.',
    examples: ['published'],
  },
}

export const campaignParams = z.object({
  campaignId: idOf('campaign').toLowerCase().describe('The id of the campaign.'),
})

const polstIds = uniqueList(idOf('poll (not its slug or shortId)'), {
  least: 1,
  most: MOST_POLLS,
  sameBy: (id) => id.toLowerCase(),
}).meta({ description: 'The ids of its polls, in order. The brand must own each of them.', examples: POLL_IDS })

const title = nameText(1, 120)

const settings = {
  title: title.optional().meta(about.title),
  name: title.optional().meta({ description: 'The same as `title`.' }),
  description: text(1, 500).nullable().optional().meta(about.description),
  isPublic: z.boolean().optional().meta(about.isPublic),
  ...windowInput,
  state: z.enum(STATES).optional().meta(about.state),
}

interface Titled {
  readonly title?: string | undefined
  readonly name?: string | undefined
}

const hasOneTitle = ({ title: one, name: other }: Titled): boolean =>
  one === undefined || other === undefined || one === other

const twoTitles = {
  path: ['name'],
  error: 'Must be the same as title, or be omitted.',
  params: { code: 'differs_from_title' },
}
const noTitle = { path: ['title'], error: 'Required.', params: { code: 'required' } }

/** Accepts `name` as an alias of `title`; all later code sees only `title`. */
const underOneName = <Body extends Titled>({ name, ...body }: Body) => ({ ...body, title: body.title ?? name })

export const createCampaignBody = z
  .strictObject({ ...settings, polstIds })
  .refine(hasOneTitle, twoTitles)
  .refine((body) => !isEmptyWindow(body), windowRule)
  .refine((body) => (body.title ?? body.name) !== undefined, noTitle)
  .meta({
    id: 'CampaignCreate',
    description: 'A new campaign. `title` is required and can also be sent as `name`.',
    anyOf: [{ required: ['title'] }, { required: ['name'] }],
  })
  .transform((body) => ({ ...underOneName(body), title: body.title ?? body.name ?? '' }))

export const updateCampaignBody = z
  .strictObject({ ...settings, polstIds: polstIds.optional() })
  .refine(hasOneTitle, twoTitles)
  .refine((body) => !isEmptyWindow(body), windowRule)
  .meta({
    id: 'CampaignUpdate',
    description: 'The fields to change. Omitted fields keep their value; `polstIds` replaces the whole list.',
  })
  .transform(underOneName)

const shared = {
  campaignId: uuid.describe('The permanent id of the campaign.'),
  title: z.string().meta(about.title),
  description: z.string().nullable().meta(about.description),
  polsts: z.array(pollListItem).describe('Its polls, in order.'),
  totalSteps: count.meta({ description: 'The number of polls that visitors see.', examples: [1] }),
  polstCount: count.meta({ description: 'The same as `totalSteps`.', examples: [1] }),
  brand: brandSummary.describe('The brand that owns it.'),
  status,
  state: z.enum(STATES).meta(about.state),
  isPublic: z.boolean().meta(about.isPublic),
  ...windowAnswer,
  createdAt: timestamp.describe('When it was created.'),
  updatedAt: timestamp.describe('When its owner last changed it.'),
}

export const publicCampaign = z
  .object(shared)
  .meta({ id: 'Campaign', description: 'A campaign as the public sees it: an ordered list of polls.' })

export const responsesProgress = z
  .object({
    isComplete: z.boolean().meta({ description: 'Whether all of them have been read.', examples: [true] }),
    votesRead: count.meta({ description: 'How many have been read.', examples: [0] }),
    votesToRead: count.meta({ description: 'How many have to be read.', examples: [0] }),
  })
  .describe('How many of the votes from before a poll joined have been added to the responses.')

export const ownedCampaign = z
  .object({
    ...shared,
    withheldPolstIds: z.array(uuid).meta({
      description: 'The ids of its polls that visitors do not see: drafts and archived polls.',
      examples: [[]],
    }),
    responsesProgress,
  })
  .meta({ id: 'OwnedCampaign', description: 'A campaign as its owner sees it.' })

export const campaignTallies = z
  .object({
    campaignId: uuid.describe('The id of the campaign.'),
    polsts: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
          status,
          tallies: tallies.describe('The public counts; 0 if they are hidden.'),
        }),
      )
      .describe('The counts of its polls, in order.'),
  })
  .meta({ id: 'CampaignTallies', description: 'The counts of all polls of a campaign.' })

export type CreateCampaign = z.infer<typeof createCampaignBody>
export type UpdateCampaign = z.infer<typeof updateCampaignBody>
export type PublicCampaign = z.infer<typeof publicCampaign>
export type OwnedCampaign = z.infer<typeof ownedCampaign>
export type CampaignTallies = z.infer<typeof campaignTallies>
