import { z } from 'zod'
import { count, timestamp } from '../../base/fields.ts'
import { pollListItem } from '../../events/resources/poll.ts'
import { timeZone } from './buckets.ts'

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

const counted = (description: string, example: number) => count.meta({ description, examples: [example] })

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
    points: z
      .array(
        z.object({
          at: timestamp.meta({ description: 'The start of the day.', examples: ['2026-01-31T00:00:00.000Z'] }),
          votes: counted('Votes on this day.', 61),
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
