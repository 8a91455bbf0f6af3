import { z } from 'zod'
import { optionName, respondentId, timestamp } from '../../base/fields.ts'

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
