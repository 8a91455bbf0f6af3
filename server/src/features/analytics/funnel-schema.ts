import { z } from 'zod'
import { count, timestamp } from '../../base/fields.ts'

const counted = (description: string, example: number) => count.meta({ description, examples: [example] })

export const funnel = z
  .object({
    steps: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
          title: z.string().meta({ description: 'The question.', examples: ['Tea or coffee?'] }),
          respondents: counted('Devices that voted on this poll.', 61),
        }),
      )
      .describe('The polls that visitors see, in the order of the campaign.'),
    respondents: counted('Devices that voted on any poll of the campaign, as the list of responses has them.', 64),
    completed: counted('Devices that voted on every step.', 40),
    countedAt: timestamp.meta({
      description: 'When the votes were counted: at most 60 seconds ago.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  })
  .meta({ id: 'Funnel', description: 'How many respondents reached each step of a campaign.' })

export type Funnel = z.infer<typeof funnel>
