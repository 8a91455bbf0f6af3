// features/pages/sitemaps: robots.txt and sitemaps of what search engines may list.

import { Cache } from '../../../base/cache.ts'
import { MINUTE } from '../../../base/clock.ts'
import { notFound } from '../../../base/errors.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { PackedText } from '../../../http/answers/packed.ts'
import type { Reply } from '../../../http/answers/reply.ts'
import { anyone } from '../../../http/guard.ts'
import { ConcurrencyLimit } from '../../../http/limits/concurrency-limit.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { sitemapIndex, sitemapParams, sitemapPart } from './sitemap.ts'

const KEPT_MS = MINUTE
const MOST_KEPT = 16
/** A part is thousands of rows, and search engines request the parts one by one. */
const MOST_AT_ONCE = 2

const common = { method: 'GET', isOutside: true, guard: anyone, caching: 'own' } as const
const headers = { always: ['ETag'] } as const
const xml = { description: 'A sitemap.', contentType: 'application/xml', headers } as const

/** Sitemaps and robots.txt. */
export function sitemapRoutes({ config: { publicUrl }, engine: { db } }: Pick<Deps, 'config' | 'engine'>): Route[] {
  const kept = new Cache<string, Text & { readonly madeAt: number }>(MOST_KEPT)
  const limit = new ConcurrencyLimit({ name: 'sitemaps', total: MOST_AT_ONCE, perOwner: 0 })

  async function make(file: string, now: number): Promise<Text> {
    const known = kept.get(file)
    if (known && now >= known.madeAt && now < known.madeAt + KEPT_MS) return known
    const release = limit.acquire(null)
    try {
      const body = await sitemapPart(db, file, { publicUrl, now })
      if (body === null) throw notFound()
      const made = { ...textOf(body), madeAt: now }
      kept.set(file, made)
      return made
    } finally {
      release()
    }
  }

  const robots = textOf(`User-agent: *\nDisallow:\n\nSitemap: ${publicUrl}/sitemap.xml\n`)

  return [
    route({
      ...common,
      path: '/robots.txt',
      name: 'getRobots',
      tag: 'Pages',
      summary: 'Rules for search engines',
      description: 'Allows everything and links to the sitemap.',
      answers: {
        200: {
          description: 'Rules in the format of the Robots Exclusion Protocol.',
          contentType: 'text/plain',
          headers,
        },
      },
      handle: () => reply('text/plain; charset=utf-8', robots),
    }),
    route({
      ...common,
      path: '/sitemap.xml',
      name: 'getSitemapIndex',
      tag: 'Pages',
      summary: 'The index of the sitemaps',
      description: 'Lists the sitemaps of public polls, campaigns and brands, each with at most 10,000 URLs.',
      answers: { 200: xml },
      handle: async () => reply('application/xml', textOf(await sitemapIndex(db, publicUrl))),
    }),
    route({
      ...common,
      path: '/sitemap/{file}',
      name: 'getSitemap',
      tag: 'Pages',
      summary: 'One part of the sitemap',
      description:
        'The URLs of public polls, campaigns or brands with the time of their last change. Updated at most once a minute.',
      params: sitemapParams,
      answers: { 200: xml },
      errors: ['NOT_FOUND'],
      handle: async ({ params, now }) => reply('application/xml', await make(params.file, now)),
    }),
  ]
}

interface Text {
  readonly body: string
  readonly packed: PackedText
}

const textOf = (body: string): Text => ({ body, packed: new PackedText(body) })

const reply = (type: string, { body, packed }: Text): Reply => ({
  status: 200,
  body,
  packed,
  headers: { 'Content-Type': type, ETag: etagOf(body), 'Cache-Control': 'public, max-age=600' },
})
