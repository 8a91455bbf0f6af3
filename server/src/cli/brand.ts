import { iso } from '../base/clock.ts'
import { PlainFailure } from '../base/errors.ts'
import { counted } from '../base/text.ts'
import { updateBrandBody } from '../events/resources/brand.ts'
import { type BrandRefusal, createBrand, listBrands, updateBrand } from '../features/brands/brands.ts'
import { brandSubject } from '../features/people/tokens/queries.ts'
import { type Command, requiredArgument, requiredText } from './command.ts'
import { brandNamed, operatorWrite } from './operator-write.ts'
import { withDatabase } from './with-database.ts'

const REFUSALS: Record<BrandRefusal, string> = {
  'slug-malformed':
    '--slug must have 1 to 63 characters of a-z, 0-9 and hyphens, and must not begin or end with a hyphen.',
  'slug-reserved': 'This slug is reserved. Choose another one.',
  'slug-taken': 'This slug is already in use. Choose another one.',
  'name-malformed': '--name must have 1 to 80 characters.',
}

export const brandCreate: Command = {
  words: 'brand create',
  usage: '--slug SLUG --name NAME',
  summary: 'Create a brand',
  options: {
    slug: { type: 'string', about: 'Its name in addresses: 1 to 63 characters of a-z, 0-9 and hyphens' },
    name: { type: 'string', about: 'Its name for people: 1 to 80 characters' },
  },
  run(given) {
    const wanted = { slug: requiredText(given, 'slug'), name: requiredText(given, 'name') }
    return withDatabase(
      async (deps) => {
        const { brandId, slug, name } = await operatorWrite(deps, 'brand.created', async (tx) => {
          const brand = await createBrand(tx, deps, wanted)
          if (typeof brand === 'string') throw new PlainFailure(REFUSALS[brand])
          return { result: brand, brandKey: brand.key, subject: await brandSubject(tx, brand.key) }
        })
        return { json: { brandId, slug, name }, text: `Created the brand ${slug} (${brandId}).` }
      },
      { mayMake: true },
    )
  },
}

export const brandList: Command = {
  words: 'brand list',
  usage: '',
  summary: 'List brands, with the number of their polls',
  run: () =>
    withDatabase(async ({ engine }) => {
      const brands = (await listBrands(engine.db)).map(({ id, slug, name, created_at, polls }) => ({
        brandId: id,
        slug,
        name,
        polls,
        createdAt: iso(created_at),
      }))
      const lines = brands.map(({ slug, name, polls }) => `${slug}  ${name}  ${counted(polls ?? 0, 'poll')}`)
      return { json: { brands }, text: lines.length === 0 ? 'There are no brands.' : lines.join('\n') }
    }),
}

export const brandRename: Command = {
  words: 'brand rename',
  usage: 'SLUG --name NAME',
  summary: 'Give a brand another name; its slug and its addresses stay',
  positionals: 1,
  options: { name: { type: 'string', about: 'Its new name for people: 1 to 80 characters' } },
  run(given) {
    const slug = requiredArgument(given, 'SLUG')
    const name = requiredText(given, 'name')
    if (!updateBrandBody.safeParse({ name }).success) throw new PlainFailure(REFUSALS['name-malformed'])
    return withDatabase(async (deps) => {
      const brand = await operatorWrite(deps, 'brand.updated', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, slug)
        const row = await updateBrand(deps, tx, { brandKey, patch: { name } })
        return { result: row, brandKey, subject: await brandSubject(tx, brandKey) }
      })
      return {
        json: { brandId: brand.id, slug: brand.slug, name: brand.name },
        text: `The brand ${brand.slug} is now called ${brand.name}.`,
      }
    })
  },
}
