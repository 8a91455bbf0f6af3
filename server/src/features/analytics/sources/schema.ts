import { z } from 'zod'
import { count } from '../../../base/fields.ts'
import { share } from '../../../events/resources/insight.ts'
import { moment } from '../schema.ts'

export const sourcesQuery = z.object({
  from: moment.optional().meta({
    description: 'The start of the span, rounded down to the hour (UTC).',
    examples: ['2026-01-31T00:00:00.000Z'],
  }),
  to: moment.optional().meta({
    description: 'The end of the span, exclusive, rounded up to the hour (UTC). Default: now.',
    examples: ['2026-02-01T00:00:00.000Z'],
  }),
})

export const source = z
  .object({
    source: z.string().meta({
      description:
        'The name of the source, or `other`: every source that is not declared, none at all, and those with fewer than ten votes.',
      examples: ['newsletter'],
    }),
    views: count.meta({ description: 'How often a poll was seen. Approximate.', examples: [480] }),
    votes: count.meta({ description: 'All votes from there.', examples: [61] }),
    optionA: count.meta({ description: 'Votes for option A.', examples: [40] }),
    optionB: count.meta({ description: 'Votes for option B.', examples: [21] }),
    shareA: share('The share of option A, or null without votes.', 0.656),
    low: share('The lower end of its Wilson interval at 95 %, or null without votes.', 0.53),
    high: share('The upper end of its Wilson interval at 95 %, or null without votes.', 0.763),
  })
  .meta({ id: 'SourceCounts', description: 'The views and votes from one source.' })
