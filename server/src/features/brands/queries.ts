import { sql } from 'kysely'
import type { Db } from '../../db/store.ts'

const MOST_NAMED = 10
const COUNT = sql<number>`count(*)`.as('count')

export const findBrand = (db: Db, slug: string) =>
  db.selectFrom('brands').selectAll().where('slug', '=', slug).where('deleted_at', 'is', null).executeTakeFirst()

/** The brand of a token. Its row is there even if the brand is deleted while the request runs. */
export const brandOfToken = (db: Db, key: number) =>
  db.selectFrom('brands').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

/** Every brand, with the number of its polls that are not deleted. */
export const listBrands = (db: Db) =>
  db
    .selectFrom('brands')
    .select(({ selectFrom }) => [
      'id',
      'slug',
      'name',
      'created_at',
      selectFrom('polls')
        .select(sql<number>`count(*)`.as('polls'))
        .whereRef('polls.brand_key', '=', 'brands.key')
        .where('deleted_at', 'is', null)
        .as('polls'),
    ])
    .where('brands.deleted_at', 'is', null)
    .orderBy('slug')
    .execute()

/**
 * The brands of which a command may mean one: that of the slug, also if its deletion was interrupted, or else those of
 * the name.
 */
export async function brandsCalled(db: Db, given: string) {
  const brands = db.selectFrom('brands').select(['key', 'id', 'slug', 'name', 'deleted_at'])
  const ofSlug = await brands.where('slug', '=', given).where('is_emptied', '=', 0).execute()
  if (ofSlug.length > 0) return ofSlug
  return brands.where('name', '=', given).where('deleted_at', 'is', null).orderBy('slug').limit(MOST_NAMED).execute()
}

/** The polls and campaigns of a brand that are not deleted. */
export const contentsOf = (db: Db, brandKey: number) =>
  db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('polls').select(COUNT).where('brand_key', '=', brandKey).where('deleted_at', 'is', null).as('polls'),
      selectFrom('campaigns')
        .select(COUNT)
        .where('brand_key', '=', brandKey)
        .where('deleted_at', 'is', null)
        .as('campaigns'),
    ])
    .$castTo<{ polls: number; campaigns: number }>()
    .executeTakeFirstOrThrow()
