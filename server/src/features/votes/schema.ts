import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { count, optionName, timestamp } from '../../base/fields.ts'
import type { Attribution, CastVote } from '../../db/vote-store.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollListItem } from '../../events/resources/poll.ts'
import { sourceNameText } from '../../events/resources/source-name.ts'
import { tallies } from '../../events/resources/tallies.ts'

const spellings = ['A', 'B', 'optionA', 'optionB'] as const

/** Where a vote or a view comes from. */
export const attributionInput = {
  source: sourceNameText.optional().meta({
    description:
      'Where the visitor came from: a source that the brand has declared. Any other counts as `other`, and its name is not stored.',
    examples: ['newsletter'],
  }),
  campaign: campaignParams.shape.campaignId
    .optional()
    .describe(
      'The id of the campaign that shows the poll. Ignored if there is no such campaign, or the poll is not in it.',
    ),
}

export const voteBody = z
  .strictObject({
    option: z
      .enum(spellings)
      .describe('The option to vote for. The long spellings mean the same.')
      .transform((option) => (option === 'A' || option === 'optionA' ? 'A' : 'B')),
    ...attributionInput,
    shown: z
      .enum(['AB', 'BA'])
      .optional()
      .meta({
        description:
          'The order in which the visitor saw the options. Stored only while the `optionOrder` of the poll is `random`.',
        examples: ['AB'],
      }),
  })
  .meta({ id: 'VoteCreate', description: 'A vote.' })

/** Undefined for a vote that says nothing of where it comes from. */
export function attributionOf({ source, shown, campaign }: z.output<typeof voteBody>): Attribution | undefined {
  if (source === undefined && shown === undefined && campaign === undefined) return undefined
  return { source: source ?? null, shown: shown ?? null, campaign: campaign ?? null }
}

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
