import { z } from 'zod'
import { timestamp } from '../../base/fields.ts'

const respondentVote = z
  .strictObject({ position: z.int().positive(), slug: z.string(), option: z.enum(['A', 'B']), votedAt: timestamp })
  .meta({ id: 'RespondentVote' })

export const respondent = z
  .strictObject({
    respondentId: z.string(),
    startedAt: timestamp,
    totalVotes: z.int().positive(),
    votes: z.array(respondentVote),
  })
  .meta({ id: 'Respondent' })

export type Respondent = z.infer<typeof respondent>
