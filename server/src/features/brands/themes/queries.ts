import type { Db, Tx } from '../../../db/store.ts'

/** The current stylesheet. */
export const currentStyles = (db: Db, brandKey: number) =>
  db
    .selectFrom('theme_styles')
    .select(['from_version', 'source'])
    .where('brand_key', '=', brandKey)
    .where('until_version', 'is', null)
    .executeTakeFirst()

/** The stylesheet of a version of a theme; undefined for an unknown version or brand, or one without a stylesheet. */
export const stylesOfVersion = (db: Db, slug: string, version: number) =>
  db
    .selectFrom('theme_styles')
    .innerJoin('brands', 'brands.key', 'theme_styles.brand_key')
    .select(['css', 'source', 'from_version'])
    .where('brands.slug', '=', slug)
    .where('brands.deleted_at', 'is', null)
    .where('brands.theme_version', '>=', version)
    .where('from_version', '<=', version)
    .where(({ eb, or }) => or([eb('until_version', 'is', null), eb('until_version', '>', version)]))
    .executeTakeFirst()

export const retireStyles = (tx: Tx, brandKey: number, { version, now }: { version: number; now: number }) =>
  tx
    .updateTable('theme_styles')
    .set({ until_version: version, retired_at: now })
    .where('brand_key', '=', brandKey)
    .where('until_version', 'is', null)
    .execute()

interface Keep {
  readonly retiredSince: number
  readonly most: number
}

/** Keeps recently replaced stylesheets, because open or cached pages may still request them. */
export async function removeOldStyles(tx: Tx, brandKey: number, { retiredSince, most }: Keep): Promise<void> {
  const kept = tx
    .selectFrom('theme_styles')
    .select('from_version')
    .where('brand_key', '=', brandKey)
    .orderBy('from_version', 'desc')
    .limit(most)
  await tx
    .deleteFrom('theme_styles')
    .where('brand_key', '=', brandKey)
    .where('retired_at', 'is not', null)
    .where(({ eb, or }) => or([eb('retired_at', '<', retiredSince), eb('from_version', 'not in', kept)]))
    .execute()
}
