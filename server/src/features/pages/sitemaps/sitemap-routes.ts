// features/pages/sitemaps: robots.txt and sitemaps of what search engines may list.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { html } from '../../../../../embed/src/render/html.ts'
import { KeptResults } from '../../../base/cache.ts'
import { iso } from '../../../base/clock.ts'
import { notFound } from '../../../base/errors.ts'
import { textLike } from '../../../base/fields.ts'
import type { Db } from '../../../db/store.ts'
import { type Asset, assetOf, assetReply, type Reply } from '../../../http/answers/reply.ts'
import { ConcurrencyLimit } from '../../../http/limits/concurrency-limit.ts'
import { outside, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { isListed } from '../../polls/lists.ts'
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

/** The polls and campaigns of a deleted brand are removed one after another: their pages are unknown before. */
const hasItsBrand = (list: 'polls' | 'campaigns') =>
  sql<boolean>`exists (select 1 from brands where brands.key = ${sql.ref(`${list}.brand_key`)} and brands.deleted_at is null)`

/** For each kind of page: its path, and the rows that are listed. */
const LISTS = {
  polls: {
    path: sql`'/p/' || short_id`,
    isShown: (now: number) => sql`${isListed} and ${hasOpened(now)} and ${hasItsBrand('polls')}`,
  },
  campaigns: {
    path: sql`'/c/' || id`,
    isShown: () => sql`is_public = 1 and state = 'published' and ${hasItsBrand('campaigns')}`,
  },
  /** A brand without listed polls is not listed. */
  brands: {
    path: sql`'/b/' || slug`,
    isShown: (now: number) => sql`exists (select 1 from polls
      where polls.brand_key = brands.key and polls.deleted_at is null and ${isListed} and ${hasOpened(now)})`,
  },
} as const

/** The next rows of a list within a range of keys. */
async function readRows(
  db: Db,
  list: ListName,
  { after, last, now }: { after: number; last: number; now: number },
): Promise<readonly Listed[]> {
  const { path, isShown } = LISTS[list]
  const rows = sql<Listed>`select key, updated_at, ${path} as path from ${sql.table(list)}
    where key > ${after} and key <= ${last} and deleted_at is null and ${isShown(now)} order by key limit ${BATCH}`
  return (await rows.execute(db)).rows
}

type ListName = keyof typeof LISTS

const NAMES = Object.keys(LISTS) as ListName[]

const FILE = new RegExp(`^(${NAMES.join('|')})-([1-9]\\d{0,4})\\.xml$`)

const sitemapParams = z.object({
  file: textLike(FILE, 'The name of the part, from the index.', 'polls-1.xml'),
})

function readPart(file: string): { list: ListName; number: number } {
  const [, list, number] = FILE.exec(file) ?? []
  return { list: list as ListName, number: Number(number) }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** A part is a range of keys: nothing is counted, and an address stays in its part. */
async function sitemapIndex(db: Db, publicUrl: string): Promise<string> {
  const parts: string[] = []
  for (const list of NAMES) {
    const count = Math.min(Math.ceil((await lastKey(db, list)) / SPAN), MOST_PARTS)
    for (let number = 1; number <= count; number++) parts.push(`${publicUrl}/sitemap/${list}-${number}.xml`)
  }
  const entries = parts.slice(0, MOST_PARTS).map((url) => html`<sitemap><loc>${url}</loc></sitemap>\n`)
  return `${HEAD}${html`<sitemapindex xmlns="${NAMESPACE}">\n${entries}</sitemapindex>`}\n`
}

/** Null where there is no such part. Yields to the event loop between batches. */
async function sitemapPart(
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
    const rows: readonly Listed[] = await readRows(db, list, { after, last: first + SPAN, now })
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

const MOST_KEPT = 16
/** A part is thousands of rows, and search engines request the parts one by one. */
const MOST_AT_ONCE = 2

const headers = { always: ['ETag'] } as const
const rules = {
  description: 'Rules in the format of the Robots Exclusion Protocol.',
  contentType: 'text/plain',
} as const
const xml = { description: 'A sitemap.', contentType: 'application/xml', headers } as const

/** Sitemaps and robots.txt. */
export function sitemapRoutes({ config: { publicUrl }, engine: { db } }: Pick<Deps, 'config' | 'engine'>): Route[] {
  const kept = new KeptResults<Asset>(MOST_KEPT)
  const limit = new ConcurrencyLimit({ name: 'sitemaps', total: MOST_AT_ONCE, perOwner: 0 })

  async function make(file: string, now: number): Promise<Asset> {
    const release = limit.acquire(null)
    try {
      const body = await sitemapPart(db, file, { publicUrl, now })
      if (body === null) throw notFound()
      return assetOf(body, 'fast')
    } finally {
      release()
    }
  }

  const robots = assetOf(`User-agent: *\nDisallow:\n\nSitemap: ${publicUrl}/sitemap.xml\n`, 'fast')

  return [
    route({
      ...outside,
      path: '/robots.txt',
      name: 'getRobots',
      answers: { 200: { ...rules, headers } },
      handle: () => reply('text/plain; charset=utf-8', robots),
    }),
    route({
      ...outside,
      path: '/sitemap.xml',
      name: 'getSitemapIndex',
      answers: { 200: xml },
      handle: async () => reply('application/xml', assetOf(await sitemapIndex(db, publicUrl), 'fast')),
    }),
    route({
      ...outside,
      path: '/sitemap/{file}',
      name: 'getSitemap',
      params: sitemapParams,
      answers: { 200: xml },
      errors: ['NOT_FOUND'],
      handle: async ({ params, now }) =>
        reply('application/xml', (await kept.of(params.file, now, () => make(params.file, now))).value),
    }),
  ]
}

const reply = (type: string, text: Asset): Reply =>
  assetReply(text, { 'Content-Type': type, 'Cache-Control': 'public, max-age=600' })
