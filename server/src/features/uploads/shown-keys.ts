import type { Db } from '../../db/store.ts'

interface File {
  readonly key: string
  readonly brand_key: number
}

/** Which of these files a poll, a theme or a profile shows. */
export async function shownKeys(db: Db, files: readonly File[]): Promise<Set<string>> {
  if (files.length === 0) return new Set()
  const inPolls = await keysInPolls(
    db,
    files.map(({ key }) => key),
  )
  const texts = await brandTexts(
    db,
    files.map(({ brand_key }) => brand_key),
  )
  const isInBrand = ({ key, brand_key }: File) => texts.get(brand_key)?.includes(key) === true
  return new Set(files.filter((file) => inPolls.has(file.key) || isInBrand(file)).map(({ key }) => key))
}

async function keysInPolls(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const columns = ['image_a', 'image_b', 'image_combined', 'image_composed'] as const
  const found = await Promise.all(
    columns.map((column) => db.selectFrom('polls').select(`${column} as key`).where(column, 'in', keys).execute()),
  )
  return new Set(found.flat().flatMap(({ key }) => key ?? []))
}

/** A key is 32 random characters, so any occurrence in a theme or profile is a use of the file. */
async function brandTexts(db: Db, brandKeys: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('brands')
    .select(['key', 'theme', 'avatar_url'])
    .where('key', 'in', [...new Set(brandKeys)])
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ key, theme, avatar_url }) => [key, `${theme} ${avatar_url ?? ''}`]))
}
