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
const FILES = ['docs.css', 'docs.js', 'search.js', 'reference.js', 'search.json'] as const

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': KEPT,
}

const pageAnswer: AnswerDoc = {
  description: 'The page.',
  contentType: 'text/html',
  headers: { always: ['ETag', 'Content-Security-Policy'] },
}

const common = { ...outside, tag: 'Pages' } as const
const tagged = { always: ['ETag'] } as const

export function docsRoutes(deps: Pick<Deps, 'config'>, publicPolls: Pick<PublicPolls, 'feeds'>): Route[] {
  const folder = new DocsFolder(deps.config.publicUrl)

  return [
    ...homeRoutes(deps, publicPolls, folder),
    route({
      ...common,
      path: '/docs',
      name: 'getDocs',
      summary: 'The start page of the docs',
      description: 'Every guide with a sentence that says what it is about.',
      answers: { 200: pageAnswer },
      handle: () => folder.find('/docs', PAGE_HEADERS),
    }),
    route({
      ...common,
      path: '/docs/{doc}',
      name: 'getDoc',
      summary: 'A guide',
      description: 'As a page, for the running version. Links between guides lead to these pages.',
      params: z.object({
        doc: textLike(/^[\w-]{1,80}$/, 'The name of the guide.', 'polls'),
      }),
      answers: { 200: pageAnswer },
      errors: ['NOT_FOUND'],
      handle: ({ params: { doc } }) => folder.find(`/docs/${doc}`, PAGE_HEADERS),
    }),
    route({
      ...common,
      path: '/docs/api',
      name: 'getReference',
      summary: 'This reference as a page',
      description: 'All operations in one list, with the credentials that they need.',
      answers: { 200: pageAnswer },
      handle: () => folder.find('/docs/api', PAGE_HEADERS),
    }),
    route({
      ...common,
      path: '/docs/api/{tag}',
      name: 'getReferencePage',
      summary: 'The operations of one tag',
      description:
        'Each operation with its fields, answers, errors and examples, and a form that sends it to this server.',
      params: z.object({
        tag: textLike(/^[\w-]{1,80}$/, 'The name of the tag in lower case.', 'votes'),
      }),
      answers: { 200: pageAnswer },
      errors: ['NOT_FOUND'],
      handle: ({ params: { tag } }) => folder.find(`/docs/api/${tag}`, PAGE_HEADERS),
    }),
    route({
      ...common,
      path: '/docs/files/{asset}',
      name: 'getDocsFile',
      summary: 'A stylesheet, a script or the search index of the docs',
      description: 'Pages name the `build` of the file, so that browsers keep it until it changes.',
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
      ...common,
      path: '/docs/images/{picture}',
      name: 'getDocsPicture',
      summary: 'A picture of a guide',
      description: 'What the guides show of polls and pages.',
      params: z.object({
        picture: textLike(/^[\w-]{1,80}\.\w{3,4}$/, 'The name of the picture.', 'brand.webp'),
      }),
      answers: { 200: { description: 'The picture.', contentType: 'image/webp', headers: tagged } },
      errors: ['NOT_FOUND'],
      handle: ({ params: { picture } }) => folder.find(`/docs/images/${picture}`, { 'Cache-Control': KEPT }),
    }),
    ...(['svg', 'ico'] as const).map((ending) =>
      route({
        ...common,
        path: `/favicon.${ending}`,
        name: ending === 'svg' ? 'getFavicon' : 'getFaviconBitmap',
        summary: ending === 'svg' ? 'The icon of the service' : 'The icon of the service, for older browsers',
        description: 'The icon of the pages that belong to no brand. Browsers keep it for a week.',
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
