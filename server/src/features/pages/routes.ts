import { z } from 'zod'
import { LANGUAGES } from '../../../../embed/src/languages.ts'
import { LOOKS, type Looks } from '../../../../embed/src/looks.ts'
import { LANGS } from '../../../../embed/src/words.ts'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { publicCacheControl } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import type { Reply } from '../../http/reply.ts'
import { type Route, route } from '../../http/route.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { pollParams } from '../polls/schema.ts'
import { type Asset, assetOf, assetReply } from './asset.ts'
import { buildBrowserScript } from './browser-script.ts'
import { missingPage } from './missing-page.ts'
import type { BrandedPoll, PageKind } from './page.ts'
import { contentPolicy } from './policy.ts'
import { pollPage } from './poll-page.ts'
import { preferredLang } from './preferred-lang.ts'

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // A page keeps it for five minutes, and for a day while a newer one is fetched behind it.
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
}

const aPage = { description: 'The page.', contentType: 'text/html' }
const noPage = { description: 'There is no such poll.', contentType: 'text/html' }

export function pageRoutes(deps: Deps, { pollKeys, snapshots }: PublicPolls): Route[] {
  const origins = [deps.config.publicUrl, ...(deps.config.filesUrl ? [new URL(deps.config.filesUrl).origin] : [])]
  let script: Promise<Asset> | null = null

  async function pageOf(reference: string, kind: PageKind, { incoming, now }: { incoming: Incoming; now: number }) {
    const pollKey = await pollKeys.find(reference)
    const snapshot = pollKey === null ? null : await snapshots.find(pollKey)
    if (!snapshot) return missing(incoming)
    const ready = await snapshot.poll(now)
    const { data } = JSON.parse(ready.body) as { data: BrandedPoll }
    const { text, styles } = pollPage(data, looksOf(incoming), kind)
    const { embedOrigins } = data.brand.theme
    const anywhere = embedOrigins.length === 0 ? ['*'] : ["'self'", ...embedOrigins]
    const frameAncestors = kind === 'frame' ? anywhere : ["'self'"]
    return assetReply(incoming, assetOf(text), {
      ...HTML,
      'Cache-Control': publicCacheControl(now, ready.changesAt),
      'Content-Security-Policy': contentPolicy({ styles, origins, frameAncestors }),
    })
  }

  function missing(incoming: Incoming): Reply {
    const { text, styles } = missingPage(looksOf(incoming))
    const policy = contentPolicy({ styles, origins, frameAncestors: ['*'] })
    return { ...assetReply(incoming, assetOf(text), { ...HTML, 'Content-Security-Policy': policy }), status: 404 }
  }

  return [
    route({
      method: 'GET',
      path: '/embed.js',
      isOutside: true,
      name: 'getEmbedScript',
      summary: 'The script that makes `<tossup-poll>` of a page a poll',
      guard: anyone,
      caching: 'own',
      answers: { 200: { description: 'A module.', contentType: 'text/javascript' } },
      async handle({ incoming }) {
        script ??= buildBrowserScript().then(assetOf)
        return assetReply(incoming, await script, SCRIPT_HEADERS)
      },
    }),

    route({
      method: 'GET',
      path: '/embed/words/{lang}',
      isOutside: true,
      name: 'getEmbedWords',
      summary: 'What a poll says by itself, in another language than English',
      guard: anyone,
      caching: 'own',
      params: z.object({ lang: z.string() }),
      answers: { 200: { description: 'The words, by what they are for.', contentType: 'application/json' } },
      errors: ['NOT_FOUND'],
      handle({ incoming, params: { lang } }) {
        const known = LANGS.find((each) => each === lang)
        if (!known || known === 'en') throw notFound()
        const headers = { ...SCRIPT_HEADERS, 'Content-Type': 'application/json' }
        return assetReply(incoming, assetOf(JSON.stringify(LANGUAGES[known])), headers)
      },
    }),

    route({
      method: 'GET',
      path: '/embed/poll/{slug}',
      isOutside: true,
      name: 'getPollFrame',
      summary: 'A poll for a frame in another page',
      guard: anyone,
      caching: 'own',
      params: pollParams,
      answers: { 200: aPage, 404: noPage },
      handle: ({ params, ...call }) => pageOf(params.slug, 'frame', call),
    }),

    route({
      method: 'GET',
      path: '/p/{slug}',
      isOutside: true,
      name: 'getPollPage',
      summary: 'A poll on a page of its own',
      guard: anyone,
      caching: 'own',
      params: pollParams,
      answers: { 200: aPage, 404: noPage },
      handle: ({ params, ...call }) => pageOf(params.slug, 'page', call),
    }),
  ]
}

/** Parameters are read by their names, in any case, as attributes are. */
function looksOf({ request, url, answerHeaders }: Incoming): Looks {
  const given = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]))
  const looks = Object.fromEntries(LOOKS.map((name) => [name, given.get(name.toLowerCase()) ?? null])) as Looks
  if (looks.lang) return looks
  answerHeaders['Vary'] = 'Accept-Language'
  return { ...looks, lang: preferredLang(request.headers.get('accept-language')) }
}
