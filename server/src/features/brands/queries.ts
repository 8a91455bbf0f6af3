import type { Db } from '../../db/store.ts'

export const findBrand = (db: Db, slug: string) =>
  db.selectFrom('brands').selectAll().where('slug', '=', slug).executeTakeFirst()

export const findBrandByKey = (db: Db, key: number) =>
  db.selectFrom('brands').selectAll().where('key', '=', key).executeTakeFirst()
