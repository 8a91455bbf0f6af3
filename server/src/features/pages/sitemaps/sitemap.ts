import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { html } from '../../../../../embed/src/html.ts'
import { iso } from '../../../base/clock.ts'
import type { Db } from '../../../db/store.ts'
import { isListed } from '../../polls/feed/feed.ts'
import { hasOpened } from '../../polls/queries.ts'

/** Sitemaps may hold 50,000 addresses; fewer are rendered faster. */
const SPAN = 10_000
const BATCH = 1_000
const MOST_PARTS = 50_000

interface Listed {
  readonly key: number
  readonly path: string
  readonly updated_at: number
}

interface Range {
  readonly after: number
  readonly last: number
  readonly now: number
}

/** The polls and campaigns of a deleted brand are removed one after another: their pages are unknown before. */
const hasItsBrand = (list: 'polls' | 'campaigns') =>
  sql<boolean>`exists (select 1 from brands where brands.key = ${sql.ref(`${list}.brand_key`)} and brands.deleted_at is null)`

/** For each kind of page: its rows within a range of keys. */
const LISTS = {
  polls: (db: Db, { after, last, now }: Range) =>
    db
      .selectFrom('polls')
      .select(['key', 'updated_at', sql<string>`'/p/' || short_id`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where(isListed)
      .where('deleted_at', 'is', null)
      .where(hasOpened(now))
      .where(hasItsBrand('polls'))
      .orderBy('key')
      .limit(BATCH)
      .execute(),

  campaigns: (db: Db, { after, last }: Range) =>
    db
      .selectFrom('campaigns')
      .select(['key', 'updated_at', sql<string>`'/c/' || id`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('is_public', '=', 1)
      .where('state', '=', 'published')
      .where('deleted_at', 'is', null)
      .where(hasItsBrand('campaigns'))
      .orderBy('key')
      .limit(BATCH)
      .execute(),

  /** A brand without listed polls is not listed. */
  brands: (db: Db, { after, last, now }: Range) =>
    db
      .selectFrom('brands')
      .select(['key', 'updated_at', sql<string>`'/b/' || slug`.as('path')])
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('brands.deleted_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('polls')
            .select('polls.key')
            .whereRef('polls.brand_key', '=', 'brands.key')
            .where(isListed)
            .where('polls.deleted_at', 'is', null)
            .where(hasOpened(now)),
        ),
      )
      .orderBy('key')
      .limit(BATCH)
      .execute(),
} satisfies Record<string, (db: Db, range: Range) => Promise<readonly Listed[]>>

type ListName = keyof typeof LISTS

interface Part {
  readonly list: ListName
  readonly number: number
}

const NAMES = Object.keys(LISTS) as ListName[]

const FILE = new RegExp(`^(${NAMES.join('|')})-([1-9]\\d{0,4})\\.xml$`)

export const sitemapParams = z.object({
  file: z
    .string()
    .regex(FILE)
    .meta({ description: 'The name of the part, from the index.', examples: ['polls-1.xml'] }),
})

function readPart(file: string): Part {
  const [, list, number] = FILE.exec(file) ?? []
  return { list: list as ListName, number: Number(number) }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** A part is a range of keys: nothing is counted, and an address stays in its part. */
export async function sitemapIndex(db: Db, publicUrl: string): Promise<string> {
  const parts: string[] = []
  for (const list of NAMES) {
    const count = Math.min(Math.ceil((await lastKey(db, list)) / SPAN), MOST_PARTS)
    for (let number = 1; number <= count; number++) parts.push(`${publicUrl}/sitemap/${list}-${number}.xml`)
  }
  const entries = parts.slice(0, MOST_PARTS).map((url) => html`<sitemap><loc>${url}</loc></sitemap>\n`)
  return `${HEAD}${html`<sitemapindex xmlns="${NAMESPACE}">\n${entries}</sitemapindex>`}\n`
}

/** Null where there is no such part. Yields to the event loop between batches. */
export async function sitemapPart(
  db: Db,
  file: string,
  { publicUrl, now }: { publicUrl: string; now: number },
): Promise<string | null> {
  const { list, number } = readPart(file)
  const first = (number - 1) * SPAN
  if (first > 0 && first >= (await lastKey(db, list))) return null
  const entries: string[] = []
  let after = first
  for (;;) {
    const rows: readonly Listed[] = await LISTS[list](db, { after, last: first + SPAN, now })
    for (const { path, updated_at } of rows) {
      entries.push(`<url><loc>${publicUrl}${path}</loc><lastmod>${iso(updated_at)}</lastmod></url>\n`)
    }
    after = rows.at(-1)?.key ?? after
    if (rows.length < BATCH) break
    await nextTurn()
  }
  return `${HEAD}<urlset xmlns="${NAMESPACE}">\n${entries.join('')}</urlset>\n`
}

async function lastKey(db: Db, list: ListName): Promise<number> {
  const row = await db
    .selectFrom(list)
    .select(({ fn }) => fn.max('key').as('last'))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}
