import { z } from 'zod'
import { count } from '../../base/fields.ts'
import { readProgress } from '../../resources/campaign.ts'

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
    progress: readProgress.describe(
      'How many of the votes are counted in `steps` and `completed`, which follow within seconds.',
    ),
  })
  .meta({ id: 'Funnel', description: 'How many respondents reached each step of a campaign.' })

export type Funnel = z.infer<typeof funnel>
