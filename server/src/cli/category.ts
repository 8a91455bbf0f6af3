import { PlainFailure } from '../base/errors.ts'
import { transaction } from '../db/transaction.ts'
import { createCategory } from '../features/polls/create-category.ts'
import { type Command, requiredText } from './command.ts'
import { withDatabase } from './with-database.ts'

export const categoryCreate: Command = {
  words: 'category create',
  usage: '--slug SLUG --name NAME',
  summary: 'Add a category that brands can put their polls in',
  options: { slug: { type: 'string' }, name: { type: 'string' } },
  run(given) {
    const wanted = { slug: requiredText(given, 'slug'), name: requiredText(given, 'name') }
    return withDatabase(async (deps) => {
      const category = await transaction(deps.engine, (tx) => createCategory(tx, deps, wanted))
      if (!category) {
        throw new PlainFailure(
          'The slug is taken, or not 1 to 63 of a-z, 0-9 and hyphens, or the name is not 1 to 80 characters.',
        )
      }
      return { json: category, text: `Created the category ${category.slug} (${category.id}).` }
    })
  },
}
