// features/pages/errors: the pages of refusals and of missing polls, campaigns and brands.

import { html } from '../../../../../embed/src/html.ts'
import type { Lang } from '../../../../../embed/src/words.ts'
import { preferredLang, preferredType } from '../../../http/answers/negotiate.ts'
import type { Reply } from '../../../http/answers/reply.ts'
import { pathOf } from '../../../http/incoming.ts'
import { contentPolicy, sourceHash } from '../content-security-policy.ts'
import { ERROR_WORDS, type Trouble } from './error-words.ts'
import { PLAIN_STYLES, troublePage } from './trouble-page.ts'

const POLICY = contentPolicy({
  styleHashes: [sourceHash(PLAIN_STYLES)],
  scriptHashes: [],
  origins: [],
  frameAncestors: null,
})
const BY_CALLER = { Vary: 'Accept, Accept-Language' }

/** Programs read these, also those that are written in a browser. */
const FOR_PROGRAMS = /^\/(?:api(?:\/|$)|(?:livez|readyz|oembed|openapi\.json)$)/

/** JSON is offered first: only a caller who prefers HTML to it is a browser that shows a page to a person. */
export const prefersPage = ({ headers }: Request): boolean =>
  preferredType(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

/** A refusal as a page in the visitor's language for a browser; the JSON error for everybody else. */
export function refusalFor(request: Request, refusal: Reply, requestId: string): Reply {
  if (refusal.body === null || FOR_PROGRAMS.test(pathOf(request))) return refusal
  const headers = { ...refusal.headers, ...BY_CALLER }
  if (!prefersPage(request)) return { ...refusal, headers }
  const lang = preferredLang(request.headers.get('accept-language'))
  return {
    ...refusal,
    body: errorPage({
      status: refusal.status,
      lang,
      requestId,
      waitSeconds: Number(refusal.headers?.['Retry-After'] ?? 0),
    }),
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  }
}

interface ErrorPage {
  readonly status: number
  readonly lang: Lang
  readonly requestId: string
  /** The value of `Retry-After`; 0 without the header. */
  readonly waitSeconds: number
}

function errorPage({ status, lang, requestId, waitSeconds }: ErrorPage): string {
  const words = ERROR_WORDS[lang]
  const trouble = troubleOf(status)
  // An empty address is that of the page itself.
  const way = isPassing(trouble) ? html`<a href="">${words.retry}</a>` : html`<a href="/">${words.home}</a>`
  const wait = waitSeconds > 0 && html`<p class="wait">${seconds(waitSeconds, lang)}</p>`
  const below = html`<p class="request">${words.request} <code dir="ltr">${requestId}</code></p>`
  return troublePage({ status, words: words[trouble], wait, way, lang, styles: PLAIN_STYLES, below })
}

/** “43 seconds”, in the words of the language. */
const seconds = (count: number, lang: Lang): string =>
  new Intl.NumberFormat(lang, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(count)

function troubleOf(status: number): Trouble {
  if (status === 404 || status === 410) return 'missing'
  if (status === 401 || status === 403) return 'denied'
  if (status === 429) return 'busy'
  if (status === 503) return 'away'
  return status >= 500 ? 'broken' : 'invalid'
}

const isPassing = (trouble: Trouble): boolean => trouble === 'busy' || trouble === 'away' || trouble === 'broken'
