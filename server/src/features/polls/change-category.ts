import { sql } from 'kysely'
import { nameOrNull } from '../../base/fields.ts'
import { newUuid } from '../../base/ids.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'

const CATEGORY_SLUG = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

export const isCategorySlug = (slug: string): boolean => CATEGORY_SLUG.test(slug)

/** Null when slug or name is taken or malformed. */
export async function createCategory(db: Db, { clock }: Pick<Deps, 'clock'>, wanted: { slug: string; name: string }) {
  const { slug } = wanted
  const name = nameOrNull(wanted.name)
  if (!isCategorySlug(slug) || name === null) return null
  const row = await db
    .insertInto('categories')
    .values({ id: newUuid(), slug, name, created_at: clock.now() })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(['id', 'slug', 'name'])
    .executeTakeFirst()
  return row ?? null
}

export type CategoryRefusal = 'unknown' | 'slug-malformed' | 'slug-taken' | 'name-malformed'

interface CategoryChange {
  readonly slug: string
  /** Null leaves it. */
  readonly newSlug: string | null
  readonly name: string | null
}

/** Polls of the category show the new name at once. Links with the category's id stay valid. */
export async function renameCategory(
  tx: Tx,
  { changes, engine }: Pick<Deps, 'changes' | 'engine'>,
  { slug, newSlug, name: given }: CategoryChange,
): Promise<CategoryRefusal | { id: string; slug: string; name: string; polls: number }> {
  if (newSlug !== null && !isCategorySlug(newSlug)) return 'slug-malformed'
  const name = given === null ? null : nameOrNull(given)
  if (given !== null && name === null) return 'name-malformed'
  const category = await lockCategory(tx, engine, slug)
  if (!category) return 'unknown'
  const isTaken = newSlug !== null && newSlug !== slug && (await keyOf(tx, newSlug)) !== null
  if (isTaken) return 'slug-taken'
  const shown = { slug: newSlug ?? slug, name: name ?? category.name }
  await tx.updateTable('categories').set(shown).where('key', '=', category.key).execute()
  const polls = await noteChanged(tx, changes, category.key)
  return { id: category.id, ...shown, polls }
}

/** Removes the category from its polls first. Null if there is none. */
export async function deleteCategory(
  tx: Tx,
  { changes, clock, engine }: Pick<Deps, 'changes' | 'clock' | 'engine'>,
  slug: string,
): Promise<{ id: string; slug: string; polls: number } | null> {
  // Before the category, as the owner of a poll locks them.
  const inCategory = tx
    .selectFrom('poll_categories')
    .innerJoin('categories', 'categories.key', 'category_key')
    .select('poll_key')
    .where('slug', '=', slug)
  await tx
    .selectFrom('polls')
    .select('key')
    .where('key', 'in', inCategory)
    .orderBy('key')
    .modifyEnd(engine.forUpdate)
    .execute()
  const category = await lockCategory(tx, engine, slug)
  if (!category) return null
  const polls = await noteChanged(tx, changes, category.key)
  // The category is a field of the poll: an owner's PATCH with an older ETag is refused.
  await tx
    .updateTable('polls')
    .set({ updated_at: sql`case when updated_at < ${clock.now()} then ${clock.now()} else updated_at + 1 end` })
    .where('key', 'in', pollsIn(tx, category.key))
    .execute()
  await tx.deleteFrom('poll_categories').where('category_key', '=', category.key).execute()
  await tx.deleteFrom('categories').where('key', '=', category.key).execute()
  return { id: category.id, slug, polls }
}

/** All categories, with the number of their polls. */
export const countedCategories = (db: Db) =>
  db
    .selectFrom('categories')
    .leftJoin('poll_categories', 'poll_categories.category_key', 'categories.key')
    .select((eb) => ['id', 'slug', 'name', eb.fn.count<number>('poll_categories.poll_key').as('polls')])
    .groupBy(['categories.key', 'id', 'slug', 'name'])
    .orderBy('slug')
    .execute()

/** On PostgreSQL an update alone would not keep polls from taking the category meanwhile. */
const lockCategory = (tx: Tx, { forUpdate }: Pick<Deps['engine'], 'forUpdate'>, slug: string) =>
  tx
    .selectFrom('categories')
    .select(['key', 'id', 'name'])
    .where('slug', '=', slug)
    .modifyEnd(forUpdate)
    .executeTakeFirst()

async function keyOf(tx: Tx, slug: string): Promise<number | null> {
  const row = await tx.selectFrom('categories').select('key').where('slug', '=', slug).executeTakeFirst()
  return row?.key ?? null
}

const pollsIn = (tx: Tx, categoryKey: number) =>
  tx.selectFrom('poll_categories').select('poll_key').where('category_key', '=', categoryKey)

async function noteChanged(tx: Tx, changes: Deps['changes'], categoryKey: number): Promise<number> {
  const polls = await tx
    .selectFrom('polls')
    .select(['key', 'brand_key'])
    .where('key', 'in', pollsIn(tx, categoryKey))
    .orderBy('key')
    .execute()
  for (const { key, brand_key } of polls) await changes.poll(tx, key, brand_key)
  return polls.length
}
