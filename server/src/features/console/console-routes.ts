import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { anyone } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { assetReply } from '../pages/assets/asset.ts'
import { madeOnce } from '../pages/assets/element-scripts.ts'
import { cookieName, readCookie } from '../people/sessions/session-cookie.ts'
import { buildConsole, type ConsoleFile } from './build-console.ts'
import { consoleLang } from './console-lang.ts'
import { consolePage } from './console-page.ts'

/** A place in the console is read by its script: the document is the same for all. */
const place = (description: string, example: string) => z.string().meta({ description, examples: [example] })

const brandSlug = place(
  'The slug of a brand; `login` and `me` are pages of the person, and `_service` of the operator.',
  'corner-cafe',
)
const page = place('The page.', 'polls')
const item = place('What the page shows.', 'tea-or-coffee')
const part = place('A part of it.', 'edit')

interface FileDoc {
  readonly name: string
  readonly summary: string
  readonly contentType: ConsoleFile['contentType']
  readonly example: string
}

export function consoleRoutes({ config }: Deps): Route[] {
  const build = madeOnce(buildConsole)

  const reply = async ({ incoming }: { incoming: Incoming }) =>
    consolePage(await build(), config, {
      lang: consoleLang(incoming),
      hasSession: readCookie(incoming, cookieName(config.publicUrl)) !== null,
    })
  const document = (path: string, name: string, params?: z.ZodObject) =>
    route({
      method: 'GET',
      path,
      isOutside: true,
      name,
      tag: 'Pages',
      summary: 'The console',
      description:
        'Where people look after the polls of their brands. The same document answers for every place in the console, whether or not anybody is signed in.',
      guard: anyone,
      caching: 'none',
      ...(params ? { params } : {}),
      answers: {
        200: {
          description: 'The page.',
          contentType: 'text/html',
          headers: { always: ['Content-Security-Policy', 'Vary'] },
        },
      },
      handle: reply,
    })

  const file = (path: string, { name, summary, contentType, example }: FileDoc) =>
    route({
      method: 'GET',
      path,
      isOutside: true,
      name,
      tag: 'Pages',
      summary,
      description: 'Its name changes with its content, so browsers keep it. A file of another build is 404.',
      guard: anyone,
      caching: 'own',
      params: z.object({ file: place('The name of the file.', example) }),
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
      method: 'GET',
      path: '/console/',
      isOutside: true,
      name: 'getConsoleWithSlash',
      tag: 'Pages',
      summary: 'The console, with a slash at the end',
      description: 'For people who type the address: leads to `/console`.',
      guard: anyone,
      caching: 'none',
      answers: { 308: { description: 'Leads to `/console`.', headers: { always: ['Location'] } } },
      handle: () => ({ status: 308, body: null, headers: { Location: '/console', 'Cache-Control': 'no-store' } }),
    }),
    document('/console/{brandSlug}', 'getConsoleOfBrand', z.object({ brandSlug })),
    document('/console/{brandSlug}/{page}', 'getConsolePage', z.object({ brandSlug, page })),
    document('/console/{brandSlug}/{page}/{item}', 'getConsoleItem', z.object({ brandSlug, page, item })),
    document('/console/{brandSlug}/{page}/{item}/{part}', 'getConsolePart', z.object({ brandSlug, page, item, part })),

    file('/console/assets/{file}', {
      name: 'getConsoleScript',
      summary: 'A script of the console',
      contentType: 'text/javascript',
      example: 'main-8sq2ybc1.js',
    }),
    file('/console/assets/styles/{file}', {
      name: 'getConsoleStyles',
      summary: 'The stylesheet of the console',
      contentType: 'text/css',
      example: 'console-341fsnq9.css',
    }),
  ]
}
