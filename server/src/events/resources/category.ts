import { z } from 'zod'
import { uuid } from '../../base/fields.ts'

export const category = z
  .object({
    id: uuid.describe('The permanent id of the category.'),
    slug: z.string().meta({ description: 'The readable name of the category.', examples: ['food-and-drink'] }),
    name: z.string().meta({ description: 'The name to show.', examples: ['Food and drink'] }),
  })
  .meta({ id: 'Category', description: "One of the operator's categories." })
