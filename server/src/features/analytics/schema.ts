import { z } from 'zod'
import { count, instant, optionName, respondentId, timestamp } from '../../base/fields.ts'
import { responsesProgress } from '../../events/resources/campaign.ts'
import { pollListItem } from '../../events/resources/poll.ts'
import { exportQuery } from '../../http/answers/export.ts'
import { BUCKETS, MOST_POINTS, timeZone } from './buckets.ts'

const MOST_DAYS = 366
const DAYS = 30

export const summaryQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_DAYS)
    .default(DAYS)
    .meta({
      description: 'The length of the span in days, today included.',
      examples: [DAYS],
    }),
  tz: timeZone.meta({ description: 'The time zone of the days, by its IANA name.', examples: ['Europe/Berlin'] }),
})

export const countedAt = timestamp.meta({
  description: 'When the votes were counted: at most 60 seconds ago.',
  examples: ['2026-01-31T12:00:00.000Z'],
})

export const counted = (description: string, example: number) => count.meta({ description, examples: [example] })

export const summary = z
  .object({
    votes: z
      .object({
        today: counted('Votes since midnight.', 61),
        total: counted('All votes, without those of deleted polls.', 48_211),
        span: counted('Votes within the span.', 5_120),
        before: counted('Votes in as many days before the span.', 4_870),
      })
      .describe('The votes on all polls of the brand, at most 60 seconds old.'),
    views: z
      .object({
        today: counted('Views since midnight.', 480),
        span: counted('Views within the span.', 39_600),
        before: counted('Views in as many days before the span.', 37_100),
      })
      .describe(
        'How often polls of the brand were seen. Counted by hour, so a day that begins within an hour misses a part of it.',
      ),
    points: z
      .array(
        z.object({
          at: timestamp.meta({ description: 'The start of the day.', examples: ['2026-01-31T00:00:00.000Z'] }),
          votes: counted('Votes on this day.', 61),
          views: counted('How often polls were seen on this day.', 480),
        }),
      )
      .max(MOST_DAYS)
      .describe('One point for each day of the span, also without votes.'),
    polls: z
      .object({
        open: counted('Polls that take votes now.', 12),
        scheduled: counted('Polls that open later.', 1),
        closed: counted('Polls that have closed.', 40),
        draft: counted('Drafts.', 2),
        archived: counted('Archived polls, drafts included.', 5),
      })
      .describe('How many polls there are. Each is counted once.'),
    top: z
      .array(
        z.object({
          poll: pollListItem.describe('The poll, with its counts even if they are hidden from visitors.'),
          votes: counted('All its votes.', 61),
        }),
      )
      .describe('The five polls with the most votes, most votes first.'),
    webhooks: z
      .object({
        active: counted('Webhooks that are active.', 2),
        failing: counted('Webhooks, active or disabled, whose last attempt failed.', 0),
      })
      .describe('The state of the webhooks.'),
  })
  .meta({ id: 'BrandNumbers', description: 'A brand at a glance.' })

export type Summary = z.infer<typeof summary>

export const responsesQuery = exportQuery.extend({
  layout: z
    .enum(['long', 'wide'])
    .optional()
    .meta({
      description:
        'The rows of the CSV file. `long`, the default: one vote a row; `wide`: one respondent a row, with a column for each poll.',
      examples: ['long'],
    }),
})

const respondentVote = z
  .object({
    position: z
      .int()
      .positive()
      .meta({ description: "The poll's place in the campaign, from 1.", examples: [1] }),
    slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
    option: optionName.describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the vote was counted.'),
  })
  .meta({ id: 'RespondentVote', description: 'A vote within a campaign.' })

export const respondent = z
  .object({
    respondentId,
    startedAt: timestamp.describe('When its first vote in the campaign was counted.'),
    totalVotes: z
      .int()
      .positive()
      .meta({ description: 'The number of polls of the campaign that it has voted on.', examples: [1] }),
    votes: z.array(respondentVote).describe('Its votes, in the order of the campaign.'),
  })
  .meta({ id: 'Respondent', description: 'A device that has voted in a campaign.' })

export type Respondent = z.infer<typeof respondent>

/** Beside the page of respondents. */
export const responsesState = z.object({
  responsesProgress,
  omitted: counted('Votes of forgotten devices on the polls of the campaign: the responses leave them out.', 0),
})

export const voterEvent = z
  .object({
    respondentId,
    option: optionName.describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the vote was counted.'),
    position: z
      .int()
      .positive()
      .meta({ description: 'The number of the vote in the poll, counted from 1.', examples: [61] }),
  })
  .meta({ id: 'VoterEvent', description: 'A vote on a poll.' })

export type VoterEvent = z.infer<typeof voterEvent>

/** A later moment would end its bucket in a year of five digits. */
const LAST_MOMENT = Date.parse('9999-12-31T00:00:00Z')

export const moment = instant.refine((value) => value <= LAST_MOMENT, {
  error: 'Must not be later than 9999-12-31T00:00:00Z.',
  params: { code: 'too_late' },
})

const DAY_START = '2026-01-31T00:00:00.000Z'
const DAY_END = '2026-02-01T00:00:00.000Z'

export const timelineQuery = z.object({
  bucket: z.enum(BUCKETS).default('hour').describe('The length of a bucket.'),
  tz: timeZone.meta({
    description: 'The time zone of the buckets, by its IANA name.',
    examples: ['Europe/Berlin'],
  }),
  from: moment.optional().meta({
    description: 'The start of the timeline. Default: the first vote, or as far back as 2,000 points reach.',
    examples: [DAY_START],
  }),
  to: moment.optional().meta({
    description: 'The end of the timeline, exclusive. Default: now.',
    examples: [DAY_END],
  }),
})

const point = z.object({
  at: timestamp.meta({ description: 'The start of the bucket.', examples: [DAY_START] }),
  optionA: count.meta({ description: 'Votes for option A in this bucket.', examples: [3] }),
  optionB: count.meta({ description: 'Votes for option B in this bucket.', examples: [5] }),
  views: count.optional().meta({
    description: 'How often the poll was seen in this bucket. Absent for `minute`: views are counted by hour.',
    examples: [61],
  }),
})

export const timeline = z
  .object({
    bucket: z.enum(BUCKETS).meta({ description: 'The length of a bucket.', examples: ['hour'] }),
    from: timestamp.meta({ description: 'The start of the first bucket.', examples: [DAY_START] }),
    to: timestamp.meta({ description: 'The end of the last bucket.', examples: [DAY_END] }),
    points: z.array(point).max(MOST_POINTS).describe('One point for each bucket, including buckets without votes.'),
  })
  .meta({ id: 'Timeline', description: 'The number of votes in each bucket.' })

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
    votesByCode: count.meta({
      description:
        'How many votes of the poll were cast with codes, each of which votes once: all, or none. Their networks are not counted below.',
      examples: [0],
    }),
    hours: z.array(hour).max(MOST_POINTS).describe('Each hour with a vote or a refusal.'),
  })
  .meta({ id: 'IntegrityReport', description: 'Where the votes of a poll came from, in numbers alone.' })
