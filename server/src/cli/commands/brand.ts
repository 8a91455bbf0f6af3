import { iso } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { nameOrNull } from '../../base/fields.ts'
import { counted } from '../../base/text.ts'
import type { Db } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import {
  type BrandRefusal,
  brandsCalled,
  contentsOf,
  createBrand,
  listBrands,
  updateBrand,
} from '../../features/brands/brands.ts'
import type { WriteDeps } from '../../features/deps.ts'
import { deleteBrand, removeFromBrand } from '../../features/operator/delete-brand.ts'
import { brandOfNewcomers } from '../../features/people/oidc/oidc-sign-in.ts'
import { brandSubject } from '../../features/people/tokens/queries.ts'
import { type Command, confirm, requiredArgument, requiredText, UsageError } from '../command.ts'
import { brandNamed, operatorWrite, withDatabase } from '../with-database.ts'

export const brandDelete: Command = {
  words: 'brand delete',
  usage: 'SLUG|NAME [--yes]',
  summary: 'Delete a brand with its polls, campaigns, keys, members, webhooks and activity; it cannot be undone',
  details: `Asks for the slug on a terminal, unless --yes is given. The brand is unknown to visitors at once, and its keys and tokens are
dead. Its slug is never used again. An interrupted deletion goes on in the server, or when the command is repeated.
The server removes votes and pictures within minutes.`,
  positionals: 1,
  options: { yes: { type: 'boolean', about: 'Delete without asking' } },
  run(given) {
    const called = requiredArgument(given, 'SLUG|NAME')
    return withDatabase(async (deps) => {
      const brand = await brandCalled(deps.engine.db, called)
      const { polls, campaigns } = await contentsOf(deps.engine.db, brand.key)
      const contents = `${counted(polls, 'poll')} and ${counted(campaigns, 'campaign')}`
      const what = `This deletes the brand ${brand.slug} with ${contents} for ever.`
      await confirm(given, { what, word: brand.slug })
      await transaction(deps.engine, (tx) => deleteBrand(deps, tx, brand.key))
      await removeAll(deps, brand.key)
      const deleted = `Deleted the brand ${brand.slug} with ${contents}. The server removes its votes and pictures within minutes.`
      return {
        json: { deleted: true, brandId: brand.id, slug: brand.slug, polls, campaigns },
        text: [deleted, ...(await joining(deps))],
      }
    })
  },
}

async function brandCalled(db: Db, called: string) {
  const [brand, another, ...others] = await brandsCalled(db, called)
  if (!brand) throw new PlainFailure(`There is no brand with the slug or the name ${called}.`)
  if (!another) return brand
  const slugs = [brand, another, ...others].map(({ slug }) => slug).join(', ')
  throw new PlainFailure(`Several brands are called ${called}: give the slug of one of them, ${slugs}.`)
}

/** With several brands nobody joined by themselves: that it begins again must not be a surprise. */
async function joining({ engine, config }: WriteDeps): Promise<string[]> {
  const joined = await brandOfNewcomers(engine.db, config)
  if (!joined) return []
  return [
    `${joined.slug} is now the only brand: by OIDC_DEFAULT_ROLE, everyone who signs in with your provider for the first time joins it as ${joined.role}.`,
  ]
}

/** A server that is running may do the same at the same time. */
async function removeAll(deps: WriteDeps, brandKey: number): Promise<void> {
  while (await removeFromBrand(deps, brandKey));
}

const REFUSALS: Record<BrandRefusal, string> = {
  'slug-malformed':
    '--slug must have 1 to 63 characters of a-z, 0-9 and hyphens, and must not begin or end with a hyphen.',
  'slug-reserved': 'This slug is reserved. Choose another one.',
  'slug-taken': 'This slug is already in use. Choose another one.',
  'name-malformed': '--name must have 1 to 80 characters.',
}

/** A malformed value is wrong usage. */
const refusal = (reason: BrandRefusal): Error =>
  reason.endsWith('malformed') ? new UsageError(REFUSALS[reason]) : new PlainFailure(REFUSALS[reason])

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
          if (typeof brand === 'string') throw refusal(brand)
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
      return { json: { brands }, text: lines.length === 0 ? 'There are no brands.' : lines }
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
    const name = nameOrNull(requiredText(given, 'name'))
    if (name === null) throw refusal('name-malformed')
    return withDatabase(async (deps) => {
      const brand = await operatorWrite(deps, 'brand.updated', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, slug)
        const { row } = await updateBrand(deps, tx, { brandKey, patch: { name } })
        return { result: row, brandKey, subject: await brandSubject(tx, brandKey) }
      })
      return {
        json: { brandId: brand.id, slug: brand.slug, name: brand.name },
        text: `The brand ${brand.slug} is now called ${brand.name}.`,
      }
    })
  },
}
