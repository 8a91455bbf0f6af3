import { preferredLang } from '../../http/answers/negotiate.ts'
import type { Reply } from '../../http/answers/reply.ts'
import { anyone } from '../../http/guard.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { countFailure } from '../../http/limits/rate-limit.ts'
import { API_PREFIX, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { beginOidc, endedOidcCookie, finishOidc, OidcRefusal, Provider } from '../people/oidc/oidc-sign-in.ts'
import { sessionCookie } from '../people/sessions/sessions.ts'
import { failureClaim } from '../people/tokens/guards.ts'
import { providerFailedPage } from './sign-in-page.ts'

const answers = {
  302: { description: 'Where the browser goes on.', headers: { always: ['Location', 'Set-Cookie'] } },
  403: {
    description: 'A page that says that nobody was signed in.',
    contentType: 'text/html',
    headers: { always: ['Content-Security-Policy', 'Vary'] },
  },
} as const

/** Outside of the interface's rules for queries: what a provider adds to its answer is for it to say. */
const common = { method: 'GET', isOutside: true, tag: 'People', guard: anyone, caching: 'none', answers } as const

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
      summary: 'Sign in with the provider of the operator',
      description: 'For a link on a page: sends the browser to the provider that `OIDC_ISSUER` names.',
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
      summary: 'Where the provider sends the browser back',
      description:
        'Signs in the member with the address that the provider has verified. With `OIDC_DEFAULT_ROLE`, somebody else becomes a member of the only brand. After ten failures in a minute from one network, further ones are 429.',
      errors: ['RATE_LIMITED'],
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
