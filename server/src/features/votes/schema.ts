import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { count, optionName, timestamp } from '../../base/fields.ts'
import type { CastVote } from '../../db/vote-store.ts'
import { pollListItem } from '../../events/resources/poll.ts'
import { tallies } from '../../events/resources/tallies.ts'

const spellings = ['A', 'B', 'optionA', 'optionB'] as const

export const voteBody = z
  .strictObject({
    option: z
      .enum(spellings)
      .describe('The option to vote for. The long spellings mean the same.')
      .transform((option) => (option === 'A' || option === 'optionA' ? 'A' : 'B')),
  })
  .meta({ id: 'VoteCreate', description: 'A vote.' })

export const voteAnswer = z
  .object({
    option: optionName.describe('The option that the device voted for.'),
    tallies: tallies.describe('The counts including this vote; 0 if they are hidden from voters.'),
    votedAt: timestamp.describe('When the vote was counted.'),
  })
  .meta({ id: 'Vote', description: 'The vote of the calling device.' })

export const progressAnswer = z
  .object({
    completedSteps: count.meta({
      description: 'How many polls of the campaign the device has voted on.',
      examples: [1],
    }),
    totalSteps: count.meta({ description: 'The number of polls in the campaign.', examples: [5] }),
    currentPoll: pollListItem
      .nullable()
      .describe('The first poll, not closed, that this device has not voted on, or null.'),
    completed: z.boolean().meta({
      description: 'Whether the device has voted on every poll that it could have voted on since its first vote there.',
      examples: [false],
    }),
  })
  .meta({ id: 'CampaignProgress', description: 'The progress of the calling device in a campaign.' })

export const presentVote = ({ option, votedAt }: CastVote) => ({ option, votedAt: iso(votedAt) })
