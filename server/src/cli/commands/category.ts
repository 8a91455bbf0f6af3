import { PlainFailure } from '../../base/errors.ts'
import { nameOrNull } from '../../base/fields.ts'
import { counted } from '../../base/text.ts'
import { transaction } from '../../db/transaction.ts'
import {
  type CategoryRefusal,
  countedCategories,
  createCategory,
  deleteCategory,
  isCategorySlug,
  renameCategory,
} from '../../features/polls/change-category.ts'
import { type Command, confirm, optionalText, requiredArgument, requiredText, UsageError } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const categoryCreate: Command = {
  words: 'category create',
  usage: '--slug SLUG --name NAME',
  summary: 'Create a category that brands can assign to their polls',
  options: {
    slug: { type: 'string', about: 'Its name in addresses: 1 to 63 characters of a-z, 0-9 and hyphens' },
    name: { type: 'string', about: 'Its name for people: 1 to 80 characters' },
  },
  run(given) {
    const wanted = { slug: requiredText(given, 'slug'), name: requiredText(given, 'name') }
    if (!isCategorySlug(wanted.slug)) throw refusal('slug-malformed', '--slug')
    if (nameOrNull(wanted.name) === null) throw refusal('name-malformed')
    return withDatabase(async (deps) => {
      const category = await transaction(deps.engine, (tx) => createCategory(tx, deps, wanted))
      if (!category) throw refusal('slug-taken')
      return { json: category, text: `Created the category ${category.slug} (${category.id}).` }
    })
  },
}

export const categoryList: Command = {
  words: 'category list',
  usage: '',
  summary: 'List categories and the number of their polls',
  run: () =>
    withDatabase(async ({ engine }) => {
      const categories = await countedCategories(engine.db)
      const lines = categories.map(({ slug, name, polls, id }) => [slug, name, counted(polls, 'poll'), id].join('  '))
      return { json: { categories }, text: lines.length === 0 ? 'There are no categories.' : lines }
    }),
}

const REFUSALS: Record<CategoryRefusal, string> = {
  unknown: 'There is no category with this slug.',
  'slug-malformed':
    'OPTION must have 1 to 63 characters of a-z, 0-9 and hyphens, and must not begin or end with a hyphen.',
  'slug-taken': 'Another category has this slug. Choose another one.',
  'name-malformed': '--name must have 1 to 80 characters.',
}

/** A malformed value is wrong usage. */
function refusal(reason: CategoryRefusal, option = '--new-slug'): Error {
  const said = REFUSALS[reason].replace('OPTION', option)
  return reason.endsWith('malformed') ? new UsageError(said) : new PlainFailure(said)
}

export const categoryRename: Command = {
  words: 'category rename',
  usage: 'SLUG [--name NAME] [--new-slug SLUG]',
  summary: 'Change the name or the slug of a category; its id stays',
  positionals: 1,
  options: {
    name: { type: 'string', about: 'Its new name for people: 1 to 80 characters' },
    'new-slug': { type: 'string', about: 'Its new name in addresses' },
  },
  run(given) {
    const wanted = {
      slug: requiredArgument(given, 'SLUG'),
      name: optionalText(given, 'name'),
      newSlug: optionalText(given, 'new-slug'),
    }
    if (wanted.name === null && wanted.newSlug === null) throw new UsageError('Give --name, --new-slug or both.')
    return withDatabase(async (deps) => {
      const category = await transaction(deps.engine, (tx) => renameCategory(tx, deps, wanted))
      if (typeof category === 'string') throw refusal(category)
      return {
        json: category,
        text: `The category is now ${category.slug} (${category.name}), on ${counted(category.polls, 'poll')}.`,
      }
    })
  },
}

export const categoryDelete: Command = {
  words: 'category delete',
  usage: 'SLUG [--yes]',
  summary: 'Delete a category; its polls stay, without it',
  positionals: 1,
  options: { yes: { type: 'boolean', about: 'Delete without asking' } },
  run(given) {
    const slug = requiredArgument(given, 'SLUG')
    return withDatabase(async (deps) => {
      const found = (await countedCategories(deps.engine.db)).find((each) => each.slug === slug)
      if (!found) throw refusal('unknown')
      await confirm(given, {
        what: `This deletes the category ${slug}, which ${counted(found.polls, 'poll has', 'polls have')}.`,
        word: slug,
      })
      const deleted = await transaction(deps.engine, (tx) => deleteCategory(tx, deps, slug))
      if (!deleted) throw refusal('unknown')
      return {
        json: { deleted: true, ...deleted },
        text: `Deleted the category ${slug}, which ${counted(deleted.polls, 'poll')} had.`,
      }
    })
  },
}
