import { randomBytes } from 'node:crypto'
import { html } from '../../../../embed/src/html.ts'
import { directionOf, type Lang } from '../../../../embed/src/words.ts'
import type { Config } from '../../config/config.ts'
import type { Reply } from '../../http/answers/reply.ts'
import { ASSETS_PATH } from './assets-path.ts'
import type { ConsoleBuild } from './build-console.ts'

interface ConsoleVisitor {
  readonly lang: Lang
  /** The browser sent the cookie of a session, which may have ended. */
  readonly hasSession: boolean
}

/** The document has no text of its own: it passes the language to its script and preloads the texts of that language. */
export function consolePage(build: ConsoleBuild, config: Config, { lang, hasSession }: ConsoleVisitor): Reply {
  const nonce = randomBytes(16).toString('base64url')
  const at = (name: string) => ASSETS_PATH + name
  const imports = [
    ...build.imports,
    ...build.languages.filter(({ lang: its }) => its === lang).map(({ name }) => name),
  ].map((name) => html`<link rel="modulepreload" href="${at(name)}">`)
  const isOidc = Boolean(config.oidcIssuer)
  const isMail = Boolean(config.smtpUrl)
  const body = html`<!doctype html><html lang="${lang}" dir="${directionOf(lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="referrer" content="same-origin"><title>Tossup</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="${ASSETS_PATH}styles/${build.styles}">${imports}<script type="module" src="${at(build.script)}"></script></head><body><div id="root" data-nonce="${nonce}" data-lang="${lang}" data-session="${String(hasSession)}" data-oidc="${String(isOidc)}" data-mail="${String(isMail)}"></div><noscript>The console needs JavaScript.</noscript></body></html>`
  return {
    status: 200,
    body: body.toString(),
    // Never compressed: the random nonce would give each answer a different length.
    isSecret: true,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy(nonce, config),
      Vary: 'Accept-Language, Cookie',
    },
  }
}

/**
 * No script but our files. Styles are files too, but for two that Mantine writes at run time: the colours of its theme and the
 * width of a locked scrollbar, in elements that carry the nonce. What scripts set on `element.style` no policy forbids.
 */
function policy(nonce: string, { publicUrl, filesUrl }: Config): string {
  const own = ["'self'", new URL(publicUrl).origin]
  const files = filesUrl ? [new URL(filesUrl).origin] : []
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${[...new Set([...own, ...files])].join(' ')} data: blob:`,
    // Uploads go to PUBLIC_URL.
    `connect-src ${own.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
