import { type Html, html } from '../../../../embed/src/render/html.ts'
import { compactCss } from '../../../../embed/src/theme/compact-css.ts'
import { directionOf, type Lang } from '../../../../embed/src/words.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import type { Reply } from '../../http/answers/reply.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import { countFailure } from '../../http/limits/rate-limit.ts'
import { API_PREFIX, anyone, type Route, route } from '../../http/route.ts'
import { filled, WORDS } from '../../words/words.ts'
import type { Deps } from '../deps.ts'
import { contentPolicy, sourceHash } from '../pages/page.ts'
import { beginOidc, endedOidcCookie, finishOidc, OidcRefusal, Provider } from '../people/oidc/oidc-sign-in.ts'
import { sessionCookie } from '../people/sessions/sessions.ts'
import { failureClaim, networkName } from '../people/tokens/guards.ts'
import look from './sign-in-page.css' with { type: 'text' }

/** Runs in the browser: uses the link up when the button is pressed, and leads into the console. The words are in the button's attributes. */
const JOIN_SCRIPT = `
const button = document.querySelector('button')
const status = document.querySelector('[role=status]')

button.addEventListener('click', async () => {
  button.disabled = true
  const token = location.hash.slice(1)
  try {
    const response = await fetch('/api/rest/v1/auth/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    if (response.ok) {
      const { data } = await response.json()
      status.textContent = button.dataset.joined.replace('{email}', () => data.member.email)
      button.remove()
      location.replace('/console')
      return
    }
    const isRefused = response.status === 401 || response.status === 422
    status.textContent = isRefused ? button.dataset.refused : button.dataset.failed
    button.disabled = isRefused
  } catch {
    status.textContent = button.dataset.failed
    button.disabled = false
  }
})
`

const STYLES = compactCss(look)
const LOGO = '<img src="/favicon.svg" width="40" height="40" alt="">'

interface Content {
  readonly lang: Lang
  readonly title: string
  readonly body: Html
  readonly scripts: readonly string[]
  readonly hasForm?: boolean
}

/** A page that nobody may frame, index, keep, or learn of from a Referer. */
export function page({ lang, title, body, scripts, hasForm = false }: Content, status: number): Reply {
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><title>${title}</title><link rel="icon" href="/favicon.svg" type="image/svg+xml">`
  const root = html` lang="${lang}" dir="${directionOf(lang)}"`
  const code = scripts.map((text) => `<script type="module">${text}</script>`).join('')
  const policy = contentPolicy({
    styleHashes: [sourceHash(STYLES)],
    scriptHashes: scripts.map(sourceHash),
    origins: [],
    frameAncestors: ["'none'"],
    hasForm,
  })
  return {
    status,
    body: `<!doctype html><html${root}><head>${head}<style>${STYLES}</style></head><body><main>${LOGO}${body}</main>${code}</body></html>`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      Vary: 'Accept-Language',
    },
  }
}

/** The page of every link, with a valid token or not: opening it uses nothing up, so a mail scanner may. The button signs in. */
function joinPage(lang: Lang): Reply {
  const words = WORDS[lang].people
  const { joinTitle: title, joined, refused, failed } = words
  const body = html`<h1>${title}</h1><p>${words.joinText}</p><button type="button" data-joined="${filled(joined, { email: '{email}' })}" data-refused="${refused}" data-failed="${failed}">${words.joinButton}</button><p role="status"></p>`
  return page({ lang, title, body, scripts: [JOIN_SCRIPT] }, 200)
}

/** Says that the provider's answer led to no session, and nothing of why: the log has the reason. */
function providerFailedPage(lang: Lang): Reply {
  const { joinTitle: title, providerFailed } = WORDS[lang].people
  return page({ lang, title, body: html`<h1>${title}</h1><p>${providerFailed}</p>`, scripts: [] }, 403)
}

/** The answers of a page that depends on the language of the visitor. */
export const pageAnswers = {
  200: {
    description: 'The page.',
    contentType: 'text/html',
    headers: { always: ['Content-Security-Policy', 'Vary'] },
  },
} as const

const answers = {
  302: { description: 'Where the browser goes on.', headers: { always: ['Location', 'Set-Cookie'] } },
  403: {
    ...pageAnswers[200],
    description: 'A page that says that nobody was signed in.',
  },
} as const

/** Outside of the interface's rules for queries: what a provider adds to its answer is for it to say. */
const common = { method: 'GET', isOutside: true, guard: anyone, caching: 'none', answers } as const

export function oidcRoutes(deps: Deps): Route[] {
  const { config, log } = deps
  const provider = new Provider(config)

  function failed(incoming: Incoming, error: unknown): Reply {
    // Only the class of a library's error: its text and its causes can hold what the provider or the browser sent.
    const reason = error instanceof OidcRefusal ? error.message : (error as { code?: unknown }).code
    log.warn({ requestId: incoming.requestId, reason }, 'a sign-in with the provider of OIDC_ISSUER failed')
    return providerFailedPage(preferredLang(header(incoming, 'accept-language')))
  }

  const redirect = (location: string): Reply => ({
    status: 302,
    body: null,
    headers: { Location: location, 'Cache-Control': 'no-store' },
  })

  return [
    route({
      ...common,
      path: `${API_PREFIX}/auth/oidc`,
      name: 'beginOidc',
      async handle({ incoming }) {
        try {
          const { location, cookie } = await beginOidc(deps, provider)
          incoming.addHeader('Set-Cookie', cookie)
          return redirect(location)
        } catch (error) {
          return failed(incoming, error)
        }
      },
    }),

    route({
      ...common,
      path: `${API_PREFIX}/auth/oidc/callback`,
      name: 'finishOidc',
      errors: ['RATE_LIMITED'],
      // Counted before the provider is asked, which may hang.
      limits: ({ incoming }) => [{ quota: quotaOf('oidcCallbacks', config), key: networkName(deps, incoming.network) }],
      async handle({ incoming }) {
        try {
          const secret = await finishOidc(deps, { provider, incoming })
          incoming.addHeader('Set-Cookie', sessionCookie(config.publicUrl, secret))
          const onward = redirect('/console')
          return { ...onward, headers: { ...onward.headers, 'Set-Cookie': endedOidcCookie(config.publicUrl) } }
        } catch (error) {
          await countFailure(deps.limiter, failureClaim(deps, incoming))
          return failed(incoming, error)
        }
      },
    }),
  ]
}

export const joinRoutes = (): Route[] => [
  route({
    method: 'GET',
    path: '/console/join',
    isOutside: true,
    name: 'getJoinPage',
    guard: anyone,
    caching: 'none',
    answers: pageAnswers,
    handle: ({ incoming }) => joinPage(preferredLang(header(incoming, 'accept-language'))),
  }),
]
