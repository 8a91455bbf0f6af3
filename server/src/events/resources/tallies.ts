import { z } from 'zod'
import { count, status, timestamp } from '../../base/fields.ts'

export const tallies = z
  .object({
    optionA: count.describe('Votes for option A.'),
    optionB: count.describe('Votes for option B.'),
    total: count.describe('All votes.'),
    hidden: z.literal(true).optional().meta({
      description: 'Present if the results are hidden from this caller: all counts are then 0.',
    }),
  })
  .meta({ id: 'Tallies', description: 'The counts of a poll.', examples: [{ optionA: 24, optionB: 37, total: 61 }] })

export const talliesAnswer = z
  .object({
    slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
    status,
    tallies: tallies.describe('The public counts; 0 if they are hidden.'),
    updatedAt: timestamp.describe('When the counts or the poll last changed.'),
  })
  .meta({ id: 'PollTallies', description: 'The counts of a poll.' })

export type Tallies = z.infer<typeof tallies>
export type PollTallies = z.infer<typeof talliesAnswer>
