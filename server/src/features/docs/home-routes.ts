import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { publicCacheControl } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Reply } from '../../http/reply.ts'
import { API_PREFIX, type Route, route } from '../../http/route.ts'
import type { PollListItem } from '../../resources/poll.ts'
import { type Asset, assetOf, assetReply } from '../pages/asset.ts'
import { contentPolicy } from '../pages/content-security-policy.ts'
import { prefersPage } from '../pages/error-page.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { DEMO_BRAND } from './demo-brand.ts'
import { fixedAddress } from './files.ts'
import { homePage } from './home-page.ts'

const SHOWN_POLLS = 2

const welcome = z.object({
  name: z.literal('Tossup').describe('The name of this service.'),
  api: z.string().meta({ description: 'The base path of the API.', examples: [API_PREFIX] }),
  reference: z.string().meta({ description: 'The path of this reference.', examples: ['/openapi.json'] }),
})

const WELCOME = { name: 'Tossup', api: API_PREFIX, reference: '/openapi.json' } as const

/** What is at the address of the service itself: a page for browsers, JSON for programs. */
export function homeRoutes(deps: Pick<Deps, 'config'>, { feeds }: Pick<PublicPolls, 'feeds'>): Route[] {
  const { config } = deps
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]
  const policy = contentPolicy({ styleHashes: [], scriptHashes: [], origins, frameAncestors: ["'none'"] })
  let kept: { readonly source: string; readonly page: Asset } | null = null

  /** The demo can be removed or changed like any brand: only its open polls are shown. */
  async function page(now: number): Promise<{ page: Asset; changesAt: number | null }> {
    const ready = config.isDemo ? await feeds.find(DEMO_BRAND.slug, now) : null
    const source = ready?.etag ?? ''
    const changesAt = ready?.changesAt ?? null
    if (kept?.source === source) return { page: kept.page, changesAt }
    const listed = ready ? (JSON.parse(ready.body) as { data: PollListItem[] }).data : []
    const polls = listed.filter(({ status }) => status === 'open').slice(0, SHOWN_POLLS)
    kept = { source, page: assetOf(homePage({ publicUrl: config.publicUrl, polls }, fixedAddress)) }
    return { page: kept.page, changesAt }
  }

  async function pageReply(now: number): Promise<Reply> {
    const { page: asset, changesAt } = await page(now)
    return assetReply(asset, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': publicCacheControl(now, changesAt),
    })
  }

  return [
    route({
      method: 'GET',
      path: '/',
      isOutside: true,
      name: 'getWelcome',
      tag: 'Service',
      summary: 'Links to the API and its reference',
      description:
        'For people who open the URL of the service without a path: a page for a client that prefers `text/html` to `application/json`, as browsers do, and JSON for every other.',
      guard: anyone,
      caching: 'public',
      answers: {
        200: {
          description: 'Links to start with.',
          contentType: 'application/json',
          schema: z.object({ data: welcome.describe('Links to start with.') }),
          otherTypes: ['text/html'],
          headers: { sometimes: ['Content-Security-Policy'] },
        },
      },
      handle({ incoming, now }) {
        incoming.answerHeaders['Vary'] = 'Accept'
        return prefersPage(incoming.request) ? pageReply(now) : { data: WELCOME }
      },
    }),
  ]
}
