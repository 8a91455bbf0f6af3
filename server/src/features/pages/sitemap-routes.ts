import { Cache } from '../../base/cache.ts'
import { MINUTE } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { etagOf } from '../../http/caching.ts'
import { ConcurrencyLimit } from '../../http/concurrency-limit.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import { type Reply, unlessKnown } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import { sitemapIndex, sitemapParams, sitemapPart } from './sitemap.ts'

const KEPT_MS = MINUTE
const MOST_KEPT = 16
/** A part is thousands of rows, and search engines request the parts one by one. */
const MOST_AT_ONCE = 2

const common = { method: 'GET', isOutside: true, guard: anyone, caching: 'own' } as const
const xml = { description: 'A sitemap.', contentType: 'application/xml' }

/** Sitemaps and robots.txt. */
export function sitemapRoutes({ config: { publicUrl }, engine: { db } }: Pick<Deps, 'config' | 'engine'>): Route[] {
  const kept = new Cache<string, { readonly body: string; readonly madeAt: number }>(MOST_KEPT)
  const limit = new ConcurrencyLimit({ name: 'sitemaps', total: MOST_AT_ONCE, perOwner: 0 })

  async function make(file: string, now: number): Promise<string> {
    const known = kept.get(file)
    if (known && now >= known.madeAt && now < known.madeAt + KEPT_MS) return known.body
    const release = limit.acquire(null)
    try {
      const body = await sitemapPart(db, file, { publicUrl, now })
      if (body === null) throw notFound()
      kept.set(file, { body, madeAt: now })
      return body
    } finally {
      release()
    }
  }

  return [
    route({
      ...common,
      path: '/robots.txt',
      name: 'getRobots',
      summary: 'What search engines may read, which is everything, and where to begin',
      answers: { 200: { description: 'By the Robots Exclusion Protocol.', contentType: 'text/plain' } },
      handle: ({ incoming }) =>
        reply(incoming, 'text/plain; charset=utf-8', `User-agent: *\nDisallow:\n\nSitemap: ${publicUrl}/sitemap.xml\n`),
    }),
    route({
      ...common,
      path: '/sitemap.xml',
      name: 'getSitemapIndex',
      summary: 'The sitemaps of what is public',
      answers: { 200: xml },
      handle: async ({ incoming }) => reply(incoming, 'application/xml', await sitemapIndex(db, publicUrl)),
    }),
    route({
      ...common,
      path: '/sitemap/{file}',
      name: 'getSitemap',
      summary: 'A part of the public polls, campaigns or brands, with the time of their last change',
      params: sitemapParams,
      answers: { 200: xml },
      errors: ['NOT_FOUND'],
      handle: async ({ incoming, params, now }) => reply(incoming, 'application/xml', await make(params.file, now)),
    }),
  ]
}

const reply = (incoming: Incoming, type: string, body: string): Reply =>
  unlessKnown(incoming, {
    status: 200,
    body,
    headers: { 'Content-Type': type, ETag: etagOf(body), 'Cache-Control': 'public, max-age=600' },
  })
