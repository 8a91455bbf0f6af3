import type { Db } from '../../db/store.ts'

export const findBrand = (db: Db, slug: string) =>
  db.selectFrom('brands').selectAll().where('slug', '=', slug).executeTakeFirst()
