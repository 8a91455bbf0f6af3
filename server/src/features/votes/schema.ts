import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { timestamp } from '../../base/fields.ts'
import type { CastVote } from '../../db/vote-store.ts'
import { pollListItem, tallies } from '../polls/schema.ts'

/** The long form is an alias. */
export const voteBody = z
  .strictObject({
    option: z
      .enum(['A', 'B', 'optionA', 'optionB'])
      .transform((option) => (option === 'A' || option === 'optionA' ? 'A' : 'B')),
  })
  .meta({ id: 'VoteCreate' })

export const voteAnswer = z
  .strictObject({ option: z.enum(['A', 'B']), tallies, votedAt: timestamp })
  .meta({ id: 'Vote' })

export const progressAnswer = z
  .strictObject({
    completedSteps: z.int().nonnegative(),
    totalSteps: z.int().nonnegative(),
    currentPoll: pollListItem.nullable(),
    completed: z.boolean(),
  })
  .meta({ id: 'CampaignProgress' })

export const presentVote = ({ option, votedAt }: CastVote) => ({ option, votedAt: iso(votedAt) })
