import { z } from 'zod'
import { STATUSES, text } from '../../base/fields.ts'
import { OWNED_ORDERS } from './owned-polls.ts'
import { foldTitle } from './queries.ts'

const flagParam = z.enum(['true', 'false']).transform((value) => value === 'true')

/** Values compared without regard to case arrive folded, so that a cursor is valid in every spelling. */
export const ownedPollsQuery = z.object({
  status: z.enum(STATUSES).optional().describe('Only polls with this status.'),
  isDraft: flagParam.optional().describe('Only drafts, or no drafts.'),
  archived: flagParam.optional().describe('Only archived polls, or no archived ones.'),
  tag: text(1, 40)
    .optional()
    .meta({ description: 'Only polls with this tag.', examples: ['drinks'] }),
  category: z
    .string()
    .min(1)
    .max(128)
    .toLowerCase()
    .optional()
    .meta({ description: 'Only polls in this category: its slug or its id.', examples: ['food-and-drink'] }),
  q: text(1, 200)
    .transform(foldTitle)
    .optional()
    .meta({ description: 'Only polls whose title contains these words, in any case.', examples: ['coffee'] }),
  order: z
    .enum(OWNED_ORDERS)
    .default('recent')
    .describe(
      '`recent`: newest first; `popular`: most votes first, hidden ones included; `closing`: the next to close first; `title`: by title.',
    ),
})

export const feedQuery = z.object({
  status: z.enum(['all', 'open', 'closed']).default('all').describe('Only polls with this status.'),
  order: z
    .enum(['recent', 'popular', 'closing'])
    .default('recent')
    .describe('`recent`: newest first; `popular`: most votes first; `closing`: the next to close first.'),
})
