import { newUuid } from '../../base/ids.ts'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../deps.ts'

const CATEGORY_SLUG = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

interface NewCategory {
  readonly slug: string
  readonly name: string
}

export const isCategorySlug = (slug: string): boolean => CATEGORY_SLUG.test(slug)
export const isCategoryName = (name: string): boolean => name.trim() !== '' && [...name].length <= 80

/** Null when slug or name is taken or malformed. */
export async function createCategory(db: Db, { clock }: Pick<Deps, 'clock'>, { slug, name }: NewCategory) {
  if (!isCategorySlug(slug) || !isCategoryName(name)) return null
  const row = await db
    .insertInto('categories')
    .values({ id: newUuid(), slug, name, created_at: clock.now() })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(['id', 'slug', 'name'])
    .executeTakeFirst()
  return row ?? null
}
