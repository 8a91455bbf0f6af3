// features/pages/docs: the page at `/`, the guides and the reference of the interface as pages, and the favicon.
// server/tools/docs makes static files of the texts of the repository and of openapi.json; this room serves them.

import { z } from 'zod'
import { textLike } from '../../../base/fields.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { type AnswerDoc, outside, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import type { PublicPolls } from '../../polls/public-routes.ts'
import { contentPolicy } from '../page.ts'
import { favicons } from './built-files.ts'
import { DocsFolder } from './docs-folder.ts'
import { homeRoutes } from './home-routes.ts'

const POLICY = contentPolicy({ styleHashes: [], scriptHashes: [], origins: [], frameAncestors: ["'none'"] })
// Same as for the scripts of the elements: fresh for five minutes, and for a day while a newer one is fetched.
const KEPT = 'public, max-age=300, stale-while-revalidate=86400'
const LASTING = 'public, max-age=31536000, immutable'
const ICON_KEPT = 'public, max-age=604800'
const FILES = ['docs.css', 'docs.js', 'search.js', 'reference.js', 'search.json', 'tossup-polls.zip'] as const

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': KEPT,
}

const pageAnswer: AnswerDoc = {
  description: 'The page, or its text as Markdown where the address ends with `.md`.',
  contentType: 'text/html',
  headers: { always: ['ETag'], sometimes: ['Content-Security-Policy'] },
}

const tagged = { always: ['ETag'] } as const

const PAGE = /^[\w-]{1,80}(?:\.md)?$/

export function docsRoutes(deps: Pick<Deps, 'config'>, publicPolls: Pick<PublicPolls, 'feeds'>): Route[] {
  const folder = new DocsFolder(deps.config.publicUrl)

  /** A page, or a text for programs. */
  const shown = (address: string) =>
    folder.find(address, /\.(?:md|txt)$/.test(address) ? { 'Cache-Control': KEPT } : PAGE_HEADERS)
  const fixed = (path: string, name: string, answer: AnswerDoc) =>
    route({ ...outside, path, name, answers: { 200: answer }, handle: () => shown(path) })
  const below = (path: string, name: string, page: z.ZodType<string>) =>
    route({
      ...outside,
      path: `${path}/{page}`,
      name,
      params: z.object({ page }),
      answers: { 200: pageAnswer },
      errors: ['NOT_FOUND'],
      handle: ({ params }) => shown(`${path}/${params.page}`),
    })

  return [
    ...homeRoutes(deps, publicPolls, folder),
    fixed('/docs', 'getDocs', pageAnswer),
    below('/docs', 'getDoc', textLike(PAGE, 'The name of the guide.', 'polls')),
    fixed('/docs/api', 'getReference', pageAnswer),
    below('/docs/api', 'getReferencePage', textLike(PAGE, 'The name of the tag in lower case.', 'votes')),
    fixed('/llms.txt', 'getDirectory', {
      description: 'The pages of the docs, for programs.',
      contentType: 'text/plain',
      headers: tagged,
    }),
    route({
      ...outside,
      path: '/docs/files/{asset}',
      name: 'getDocsFile',
      params: z.object({
        asset: z.enum(FILES).meta({ description: 'The name of the file.', examples: ['docs.js'] }),
      }),
      query: z.object({
        build: z
          .string()
          .regex(/^[\w-]{12}$/)
          .optional()
          .meta({ description: 'The version of the file.', examples: ['Xk3_pQ9vZ2Lm'] }),
      }),
      answers: { 200: { description: 'The file.', contentType: 'text/javascript', headers: tagged } },
      async handle({ params: { asset }, query: { build } }) {
        // A page of another version may name another build: it gets the present file, but may not keep it.
        const isPresent = build === (await folder.build())
        return folder.find(`/docs/files/${asset}`, { 'Cache-Control': isPresent ? LASTING : KEPT })
      },
    }),
    route({
      ...outside,
      path: '/docs/images/{picture}',
      name: 'getDocsPicture',
      params: z.object({
        picture: textLike(/^[\w-]{1,80}\.\w{3,4}$/, 'The name of the picture.', 'arabic-390.webp'),
      }),
      answers: { 200: { description: 'The picture.', contentType: 'image/webp', headers: tagged } },
      errors: ['NOT_FOUND'],
      handle: ({ params: { picture } }) => folder.find(`/docs/images/${picture}`, { 'Cache-Control': KEPT }),
    }),
    ...(['svg', 'ico'] as const).map((ending) =>
      route({
        ...outside,
        path: `/favicon.${ending}`,
        name: ending === 'svg' ? 'getFavicon' : 'getFaviconBitmap',
        answers: { 200: { description: 'The icon.', contentType: ICON_TYPES[ending], headers: tagged } },
        handle() {
          const bytes = Buffer.from(favicons()[ending], 'base64')
          const headers = { 'Content-Type': ICON_TYPES[ending], 'Cache-Control': ICON_KEPT, ETag: etagOf(bytes) }
          return { status: 200, body: bytes, headers }
        },
      }),
    ),
  ]
}

const ICON_TYPES = { svg: 'image/svg+xml', ico: 'image/x-icon' } as const
