import { z } from 'zod'
import { count, timestamp } from '../../../base/fields.ts'
import { MOST_POINTS } from '../buckets.ts'
import { moment } from '../poll-schema.ts'

const DAY_START = '2026-01-31T00:00:00.000Z'
const DAY_END = '2026-02-01T00:00:00.000Z'

export const integrityQuery = z.object({
  from: moment.optional().meta({
    description: 'The start of the report. Default: 2,000 hours before its end.',
    examples: [DAY_START],
  }),
  to: moment.optional().meta({
    description: 'The end of the report, exclusive. Default: now.',
    examples: [DAY_END],
  }),
})

const ABOUT_ASSESSMENT = {
  score: {
    description: 'How conspicuous the votes are, from 0 to 100. It is no proof: the reasons say what was seen.',
    examples: [50],
  },
  reasons: {
    description: 'The conspicuous facts, in English sentences; empty at 0.',
    examples: [['One network cast 62 % of the votes.']],
  },
} as const

const share = z.number().min(0).max(1).nullable()

const refused = z
  .object({
    rate: count.meta({ description: 'Requests beyond a rate limit.', examples: [0] }),
    challenge: count.meta({
      description:
        'Requests without the solution of a challenge that was due. An honest device sends one such request for each challenge that it solves.',
      examples: [3],
    }),
    origin: count.meta({ description: 'Requests from pages of other origins than `embedOrigins`.', examples: [0] }),
    invalid: count.meta({ description: 'Malformed requests.', examples: [0] }),
  })
  .describe('Requests for votes that were refused, by reason.')

const hour = z.object({
  at: timestamp.meta({ description: 'The start of the hour.', examples: [DAY_START] }),
  votes: count.meta({ description: 'Counted votes.', examples: [61] }),
  largestNetworkShare: share.meta({
    description:
      'The share of the votes that the largest network cast: an IPv4 address or a /48 of IPv6. Null if no vote was watched. With several servers it is an upper bound.',
    examples: [0.62],
  }),
  topTenShare: share.meta({
    description: 'The same for the ten largest networks together.',
    examples: [0.7],
  }),
  challenged: count.meta({ description: 'Counted votes that solved a challenge.', examples: [3] }),
  withoutOrigin: count.meta({ description: 'Counted votes that came from no web page.', examples: [12] }),
  refused,
})

export const integrityReport = z
  .object({
    score: z.int().min(0).max(100).meta(ABOUT_ASSESSMENT.score),
    reasons: z.array(z.string()).meta(ABOUT_ASSESSMENT.reasons),
    hours: z.array(hour).max(MOST_POINTS).describe('Each hour with a vote or a refusal.'),
  })
  .meta({ id: 'IntegrityReport', description: 'Where the votes of a poll came from, in numbers alone.' })
