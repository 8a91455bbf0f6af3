import { z } from 'zod'
import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { directionOf, type Lang } from '../../../../../embed/src/words.ts'
import { version } from '../../../config/config.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { publicCacheControl } from '../../../http/answers/caching.ts'
import { preferredLang } from '../../../http/answers/negotiate.ts'
import { type Asset, assetReply, type Reply } from '../../../http/answers/reply.ts'
import { API_PREFIX, anyone, type Route, route } from '../../../http/route.ts'
import type { HomeWords } from '../../../words/en.ts'
import { WORDS } from '../../../words/words.ts'
import type { Deps } from '../../deps.ts'
import type { PublicPolls } from '../../polls/public-routes.ts'
import { prefersPage } from '../errors/error-page.ts'
import { contentPolicy } from '../page.ts'
import type { DocsFolder } from './docs-folder.ts'
import { codeBlock, headOf, SERVICE, scriptOf, topBar } from './page-parts.ts'

/** The brand that `DEMO=true` creates in an empty database. Its polls are on the page at `/`. */
export const DEMO_BRAND = { slug: 'corner-cafe', name: 'Corner Café' }

interface DemoPollLink {
  readonly slug: string
  readonly title: string
}

/** The page at `/`. `polls` are the open ones of the demo, none where there is no demo. */
function homePage(lang: Lang, polls: readonly DemoPollLink[]): string {
  const words = WORDS[lang].home
  const head = headOf('Tossup', words.sentence)
  const scripts = html`${scriptOf('docs.js')}${polls.length > 0 && html`<script type="module" src="/embed.js"></script>`}`
  const hero = html`<section class="hero"><h1>${words.question}</h1><p>${words.sentence}</p></section>`
  const names = { docs: words.docs[0], reference: words.reference[0], console: words.console[0] }
  return `<!doctype html><html${html` lang="${lang}" dir="${directionOf(lang)}"`}><head>${head}${scripts}</head><body class="home">${topBar('home', names)}<main id="content">${hero}${html`${demoPart(words, polls)}`}${html`<h2>${words.next}</h2>`}${ways(words)}${ownPage(words, polls)}<p class="version">${html`<bdi>Tossup ${version}</bdi> · <bdi>${words.license}</bdi> · <bdi><a href="/openapi.json">openapi.json</a></bdi>`}</p></main></body></html>`
}

const ways = (words: HomeWords): Html =>
  html`<ul class="cards ways">${way('/console', words.console)}${way('/docs', words.docs, words.english)}${way('/docs/api', words.reference, words.english)}</ul>`

/** `note` says that what is behind the link is in English. */
const way = (address: string, [title, text]: readonly [string, string], note: string | null = null): Html =>
  html`<li><a href="${address}"${note !== null && html` hreflang="en"`}>${title}</a>${note !== null && html` <small>${note}</small>`}<p>${text}</p></li>`

const demoPart = ({ demo }: HomeWords, polls: readonly DemoPollLink[]): Html | null =>
  polls.length === 0
    ? null
    : html`<section class="demo" aria-label="${demo}">${polls.map(({ slug, title }) => html`<div><tossup-poll poll="${slug}"><a href="/p/${slug}">${title}</a></tossup-poll></div>`)}</section>`

/** The two lines that show a poll, with the address of this server. */
function ownPage(words: HomeWords, [first]: readonly DemoPollLink[]): Html {
  const code = `<script type="module" src="${SERVICE}/embed.js"></script>\n<tossup-poll poll="${first?.slug ?? 'your-poll'}"></tossup-poll>`
  return html`<h2>${words.own}</h2><p>${words.lines}</p>${codeBlock(code, 'html', words)}`
}

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
