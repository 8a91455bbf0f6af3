import { z } from 'zod'
import { count, instant, optionName, respondentId, timestamp } from '../../base/fields.ts'
import { BUCKETS, MOST_POINTS } from './buckets.ts'

export const voterEvent = z
  .object({
    respondentId,
    option: optionName.describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the vote was counted.'),
    position: z
      .int()
      .positive()
      .meta({ description: 'The running number of the vote in the poll.', examples: [61] }),
  })
  .meta({ id: 'VoterEvent', description: 'A vote on a poll.' })

export type VoterEvent = z.infer<typeof voterEvent>

/** A later moment would end its bucket in a year of five digits. */
const LAST_MOMENT = Date.parse('9999-12-31T00:00:00Z')

const moment = instant.refine((value) => value <= LAST_MOMENT, {
  error: 'At the latest 9999-12-31T00:00:00Z.',
  params: { code: 'too_late' },
})

const DAY_START = '2026-01-31T00:00:00.000Z'
const DAY_END = '2026-02-01T00:00:00.000Z'

export const timelineQuery = z.object({
  bucket: z.enum(BUCKETS).default('hour').describe('How long the span of one point is.'),
  from: moment.optional().meta({
    description: 'The first moment; the creation of the poll where this is left out.',
    examples: [DAY_START],
  }),
  to: moment.optional().meta({
    description: 'The moment after the last one; now where this is left out.',
    examples: [DAY_END],
  }),
})

const point = z.object({
  at: timestamp.meta({ description: 'The beginning of its span.', examples: [DAY_START] }),
  optionA: count.meta({ description: 'Votes for option A in this span.', examples: [3] }),
  optionB: count.meta({ description: 'Votes for option B in this span.', examples: [5] }),
})

export const timeline = z
  .object({
    bucket: z.enum(BUCKETS).meta({ description: 'How long the span of one point is.', examples: ['hour'] }),
    from: timestamp.meta({ description: 'The beginning of the first span.', examples: [DAY_START] }),
    to: timestamp.meta({ description: 'The end of the last span.', examples: [DAY_END] }),
    points: z.array(point).max(MOST_POINTS).describe('A point for each span, also for those without a vote.'),
  })
  .meta({ id: 'Timeline', description: 'How many votes each span of time brought.' })
