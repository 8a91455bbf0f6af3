import { z } from 'zod'
import { count, optionName, timestamp } from '../../base/fields.ts'

export const share = (description: string, example: number) =>
  z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description, examples: [example] })

/** The share of A with its interval. */
export const shareFields = {
  shareA: share('The share of option A, from 0 to 1. Null without votes.', 0.557_377),
  low: share('The lower bound of the 95% interval of `shareA` (Wilson). Null without votes.', 0.433_034),
  high: share('The upper bound of the 95% interval of `shareA` (Wilson). Null without votes.', 0.674_922),
}

const bound = (description: string, example: number) =>
  z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .meta({ description, examples: [example] })

/** A difference of two shares of A with its interval. */
export const differenceFields = (difference: string) => ({
  difference: bound(difference, 0.152_778),
  low: bound('The lower bound of the 95% interval of `difference` (Newcombe). Null where it is null.', -0.059_027),
  high: bound('The upper bound of the 95% interval of `difference` (Newcombe). Null where it is null.', 0.348_496),
})

/** The meaning of two counts. */
export const insightFields = {
  votes: count.meta({ description: 'All votes.', examples: [61] }),
  ...shareFields,
  verdict: z.enum(['no_votes', 'too_close', 'leading']).meta({
    description:
      '`leading` while the evidence against an even split is at least 20: if each vote were an independent fair coin, a poll would ever be called with a probability of at most 5 %, however often one looks. The interval holds for one look at a number of votes that was fixed before. Both are about those who voted, not about a population.',
    examples: ['too_close'],
  }),
  leader: optionName.nullable().meta({ description: 'The leading option. Null unless `verdict` is `leading`.' }),
}

export const closingInsight = z
  .object({
    ...insightFields,
    countedAt: timestamp.meta({
      description: 'When the votes were counted.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  })
  .meta({ id: 'ClosingInsight', description: 'The meaning of the counts of a poll that has closed.' })
