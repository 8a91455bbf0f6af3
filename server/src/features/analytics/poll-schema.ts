import { z } from 'zod'
import { count, instant, optionName, respondentId, timestamp } from '../../base/fields.ts'
import { BUCKETS, MOST_POINTS, timeZone } from './buckets.ts'

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
})

export const timeline = z
  .object({
    bucket: z.enum(BUCKETS).meta({ description: 'The length of a bucket.', examples: ['hour'] }),
    from: timestamp.meta({ description: 'The start of the first bucket.', examples: [DAY_START] }),
    to: timestamp.meta({ description: 'The end of the last bucket.', examples: [DAY_END] }),
    points: z.array(point).max(MOST_POINTS).describe('One point for each bucket, including buckets without votes.'),
  })
  .meta({ id: 'Timeline', description: 'The number of votes in each bucket.' })
