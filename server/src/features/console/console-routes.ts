// features/console: the console, and what a person opens in a browser to sign in.

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { html } from '../../../../embed/src/render/html.ts'
import { directionOf, LANGS, type Lang } from '../../../../embed/src/words.ts'
import { notFound } from '../../base/errors.ts'
import { madeOnce } from '../../base/work/single-flight.ts'
import type { Config } from '../../config/config.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { type Asset, assetOf, assetReply, type Reply } from '../../http/answers/reply.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { outside, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { cookieName, readCookie } from '../people/sessions/sessions.ts'
import { ASSETS_PATH } from './assets-path.ts'
import { bundleConsole } from './bundle.ts'
import { pageAnswers } from './sign-in-routes.ts'

interface ConsoleVisitor {
  readonly lang: Lang
  /** The browser sent the cookie of a session, which may have ended. */
  readonly hasSession: boolean
}

/** The document has no text of its own: it passes the language to its script and preloads the texts of that language. */
function consolePage(build: ConsoleBuild, config: Config, { lang, hasSession }: ConsoleVisitor): Reply {
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

/** Written by the console (`words/chosen-language.ts`) where somebody chooses a language in their profile. */
const COOKIE = 'tossup_console_lang'

/** The language that was chosen in this browser, or else the one that the browser asks for. */
function consoleLang(incoming: Incoming): Lang {
  const chosen = readCookie(incoming, COOKIE)
  return LANGS.find((lang) => lang === chosen) ?? preferredLang(header(incoming, 'accept-language'))
}

const common = { ...outside, caching: 'none' } as const

/** A place in the console is read by its script: the document is the same for all, signed in or not. */
const place = (...names: readonly string[]) => z.object(Object.fromEntries(names.map((name) => [name, z.string()])))

export function consoleRoutes({ config }: Deps): Route[] {
  const build = madeOnce(buildConsole)

  const reply = async ({ incoming }: { incoming: Incoming }) =>
    consolePage(await build(), config, {
      lang: consoleLang(incoming),
      hasSession: readCookie(incoming, cookieName(config.publicUrl)) !== null,
    })
  const document = (path: string, name: string, params?: z.ZodObject) =>
    route({
      ...common,
      path,
      name,
      ...(params ? { params } : {}),
      answers: pageAnswers,
      handle: reply,
    })

  /** The name changes with the content, so browsers keep the file. A file of another build is 404. */
  const file = (contentType: ConsoleFile['contentType'], named: Record<'path' | 'name', string>) =>
    route({
      ...outside,
      ...named,
      params: z.object({ file: z.string() }),
      answers: { 200: { description: 'The file.', contentType, headers: { always: ['ETag'] } } },
      errors: ['NOT_FOUND'],
      async handle({ params }) {
        const found = (await build()).files.get(params.file)
        if (!found || found.contentType !== contentType) throw notFound()
        return assetReply(found.asset, {
          'Content-Type': `${contentType}; charset=utf-8`,
          'Cache-Control': 'public, max-age=31536000, immutable',
        })
      },
    })

  return [
    document('/console', 'getConsole'),
    route({
      ...common,
      path: '/console/',
      name: 'getConsoleWithSlash',
      answers: { 308: { description: 'Leads to `/console`.', headers: { always: ['Location'] } } },
      handle: () => ({ status: 308, body: null, headers: { Location: '/console', 'Cache-Control': 'no-store' } }),
    }),
    document('/console/{brandSlug}', 'getConsoleOfBrand', place('brandSlug')),
    document('/console/{brandSlug}/{page}', 'getConsolePage', place('brandSlug', 'page')),
    document('/console/{brandSlug}/{page}/{item}', 'getConsoleItem', place('brandSlug', 'page', 'item')),
    document('/console/{brandSlug}/{page}/{item}/{part}', 'getConsolePart', place('brandSlug', 'page', 'item', 'part')),

    file('text/javascript', { path: '/console/assets/{file}', name: 'getConsoleScript' }),
    file('text/css', { path: '/console/assets/styles/{file}', name: 'getConsoleStyles' }),
  ]
}

interface ConsoleFile {
  readonly contentType: 'text/css' | 'text/javascript'
  readonly asset: Asset
}

export interface ConsoleBuild {
  /** The names of the two files that the document names. */
  readonly script: string
  readonly styles: string
  /** Modules that `script` imports before anything else runs. */
  readonly imports: readonly string[]
  /** The texts of the console, of which a browser loads one language. */
  readonly languages: readonly { readonly lang: Lang; readonly name: string }[]
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** The bundle as it is served. */
export async function buildConsole(): Promise<ConsoleBuild> {
  const files = new Map<string, ConsoleFile>()
  const entries: string[] = []
  for (const { name, text, isEntry } of await bundleConsole()) {
    const contentType = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    if (isEntry || name.endsWith('.css')) entries.push(name)
    files.set(name, { contentType, asset: assetOf(text) })
  }
  const script = nameOf(entries, 'main', '.js')
  const imports = [...importsOf(files, script, new Set([script]))]
  return { script, styles: nameOf(entries, 'console', '.css'), imports, languages: languagesOf(files), files }
}

function nameOf(entries: readonly string[], start: string, end: string): string {
  const name = entries.find((each) => each.startsWith(`${start}-`) && each.endsWith(end))
  if (name === undefined) throw new Error(`bundling the console produced no ${start}${end}`)
  return name
}

/** The file of each language is `texts.LANG-HASH.js`. */
const languagesOf = (files: ReadonlyMap<string, ConsoleFile>) =>
  LANGS.flatMap((lang) =>
    [...files.keys()].filter((name) => name.startsWith(`texts.${lang}-`)).map((name) => ({ lang, name })),
  )

/** Static imports only, at any depth, so that a browser can load all of them at once. */
function importsOf(files: ReadonlyMap<string, ConsoleFile>, name: string, known: Set<string>): Set<string> {
  const found = new Set<string>()
  const text = files.get(name)?.asset.text ?? ''
  for (const { path, kind } of new Bun.Transpiler({ loader: 'js' }).scanImports(text)) {
    const imported = path.split('/').at(-1) ?? ''
    if (kind !== 'import-statement' || known.has(imported)) continue
    known.add(imported)
    for (const each of [imported, ...importsOf(files, imported, known)]) found.add(each)
  }
  return found
}
