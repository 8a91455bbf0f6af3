import { PlainFailure } from '../base/errors.ts'
import { transaction } from '../db/transaction.ts'
import { type BrandRefusal, createBrand } from '../features/brands/create-brand.ts'
import { type Command, requiredText } from './command.ts'
import { withDatabase } from './with-database.ts'

const REFUSALS: Record<BrandRefusal, string> = {
  'slug-malformed': 'A slug takes 1 to 63 of a-z, 0-9 and hyphens, and does not begin or end with a hyphen.',
  'slug-reserved': 'This slug is reserved.',
  'slug-taken': 'This slug is taken.',
  'name-malformed': 'A name takes 1 to 80 characters.',
}

export const brandCreate: Command = {
  words: 'brand create',
  usage: '--slug SLUG --name NAME',
  summary: 'Create a brand',
  options: { slug: { type: 'string' }, name: { type: 'string' } },
  run(given) {
    const wanted = { slug: requiredText(given, 'slug'), name: requiredText(given, 'name') }
    return withDatabase(
      async (deps) => {
        const brand = await transaction(deps.engine, (tx) => createBrand(tx, deps, wanted))
        if (typeof brand === 'string') throw new PlainFailure(REFUSALS[brand])
        const { brandId, slug, name } = brand
        return { json: { brandId, slug, name }, text: `Created the brand ${slug} (${brandId}).` }
      },
      { mayMake: true },
    )
  },
}
