import { type Html, html } from '../../../../embed/src/render/html.ts'
import { compactCss } from '../../../../embed/src/theme/compact-css.ts'
import { directionOf, type Lang } from '../../../../embed/src/words.ts'
import type { Reply } from '../../http/answers/reply.ts'
import { contentPolicy, sourceHash } from '../pages/content-security-policy.ts'
import { filled, PEOPLE_WORDS } from '../people/mail/words.ts'
import look from './sign-in-page.css' with { type: 'text' }

/** Runs in the browser: uses the link up when the button is pressed, and leads into the console. The words are in the button's attributes. */
const JOIN_SCRIPT = `
const button = document.querySelector('button')
const status = document.querySelector('[role=status]')

button.addEventListener('click', async () => {
  button.disabled = true
  const token = location.pathname.split('/').at(-1)
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
    status.textContent = response.status === 401 ? button.dataset.refused : button.dataset.failed
    button.disabled = response.status === 401
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
}

/** A page that nobody may frame, index, keep, or learn of from a Referer: its address can hold a secret. */
function page({ lang, title, body, scripts }: Content, status: number): Reply {
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><title>${title}</title><link rel="icon" href="/favicon.svg" type="image/svg+xml">`
  const root = html` lang="${lang}" dir="${directionOf(lang)}"`
  const code = scripts.map((text) => `<script type="module">${text}</script>`).join('')
  const policy = contentPolicy({
    styleHashes: [sourceHash(STYLES)],
    scriptHashes: scripts.map(sourceHash),
    origins: [],
    frameAncestors: ["'none'"],
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
export function joinPage(lang: Lang): Reply {
  const words = PEOPLE_WORDS[lang]
  const { joinTitle: title, joined, refused, failed } = words
  const body = html`<h1>${title}</h1><p>${words.joinText}</p><button type="button" data-joined="${filled(joined, { email: '{email}' })}" data-refused="${refused}" data-failed="${failed}">${words.joinButton}</button><p role="status"></p>`
  return page({ lang, title, body, scripts: [JOIN_SCRIPT] }, 200)
}

/** Says that the provider's answer led to no session, and nothing of why: the log has the reason. */
export function providerFailedPage(lang: Lang): Reply {
  const { joinTitle: title, providerFailed } = PEOPLE_WORDS[lang]
  return page({ lang, title, body: html`<h1>${title}</h1><p>${providerFailed}</p>`, scripts: [] }, 403)
}
