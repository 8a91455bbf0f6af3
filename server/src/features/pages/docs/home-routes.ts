import { z } from 'zod'
import type { Lang } from '../../../../../embed/src/words.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { publicCacheControl } from '../../../http/answers/caching.ts'
import { preferredLang } from '../../../http/answers/negotiate.ts'
import type { Reply } from '../../../http/answers/reply.ts'
import { anyone } from '../../../http/guard.ts'
import { API_PREFIX, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import type { PublicPolls } from '../../polls/public-routes.ts'
import { type Asset, assetReply } from '../assets/asset.ts'
import { contentPolicy } from '../content-security-policy.ts'
import { prefersPage } from '../errors/error-page.ts'
import { DEMO_BRAND } from './demo-brand.ts'
import type { DocsFolder } from './docs-folder.ts'
import { homePage } from './home-page.ts'

const SHOWN_POLLS = 2

const welcome = z.object({
  name: z.literal('Tossup').describe('The name of this service.'),
  api: z.string().meta({ description: 'The base path of the API.', examples: [API_PREFIX] }),
  reference: z.string().meta({ description: 'The path of this reference.', examples: ['/openapi.json'] }),
})

const WELCOME = { name: 'Tossup', api: API_PREFIX, reference: '/openapi.json' } as const

/** The address of the service itself: a page for browsers, JSON for programs. */
export function homeRoutes(
  { config }: Pick<Deps, 'config'>,
  { feeds }: Pick<PublicPolls, 'feeds'>,
  docs: DocsFolder,
): Route[] {
  const origins = [config.publicUrl, ...(config.filesUrl ? [new URL(config.filesUrl).origin] : [])]
  const policy = contentPolicy({ styleHashes: [], scriptHashes: [], origins, frameAncestors: ["'none'"] })
  let kept: { readonly source: string; readonly pages: Map<Lang, Asset> } | null = null

  /** The demo can be removed or changed like any brand: only its open polls are shown. */
  async function page(lang: Lang, now: number): Promise<{ page: Asset; changesAt: number | null }> {
    const ready = config.isDemo ? await feeds.find(DEMO_BRAND.slug, now) : null
    const source = ready?.etag ?? ''
    const changesAt = ready?.changesAt ?? null
    if (kept?.source !== source) kept = { source, pages: new Map() }
    // Another request may replace `kept` while the files of the docs are built.
    const { pages } = kept
    const known = pages.get(lang)
    if (known) return { page: known, changesAt }
    const listed = ready ? (JSON.parse(ready.body) as { data: PollListItem[] }).data : []
    const polls = listed.filter(({ status }) => status === 'open').slice(0, SHOWN_POLLS)
    const made = await docs.complete(homePage(lang, polls))
    pages.set(lang, made)
    return { page: made, changesAt }
  }

  async function pageReply(lang: Lang, now: number): Promise<Reply> {
    const { page: asset, changesAt } = await page(lang, now)
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
        'For people who open the URL of the service without a path: a page for a client that prefers `text/html` to `application/json`, as browsers do, in the language of `Accept-Language`, and JSON for every other.',
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
        const { request } = incoming
        incoming.addHeader('Vary', 'Accept, Accept-Language')
        if (!prefersPage(request)) return { data: WELCOME }
        return pageReply(preferredLang(request.headers.get('accept-language')), now)
      },
    }),
  ]
}
