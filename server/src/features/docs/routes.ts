// features/docs: the page at `/`, the guides and the reference of the interface as pages, and the favicon.
// Imports features: pages, polls.
// All texts are files of the repository (own-files.ts). They are read and rendered at the first request.

import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { etagOf } from '../../http/caching.ts'
import { anyone } from '../../http/guard.ts'
import type { Reply } from '../../http/reply.ts'
import { type AnswerDoc, type Route, route } from '../../http/route.ts'
import { type Asset, assetReply } from '../pages/assets/asset.ts'
import { contentPolicy } from '../pages/content-security-policy.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { DocPages } from './doc-pages.ts'
import { DOCS_FILES, typeOfFile } from './docs-files.ts'
import { homeRoutes } from './home-routes.ts'
import { docPictures, favicons } from './own-files.ts'

const POLICY = contentPolicy({ styleHashes: [], scriptHashes: [], origins: [], frameAncestors: ["'none'"] })
// As for the scripts of the elements: fresh for five minutes, and for a day while a newer one is fetched.
const KEPT = 'public, max-age=300, stale-while-revalidate=86400'
const LASTING = 'public, max-age=31536000, immutable'
const ICON_KEPT = 'public, max-age=604800'

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cache-Control': KEPT,
}

const pageAnswer: AnswerDoc = {
  description: 'The page.',
  contentType: 'text/html',
  headers: { always: ['ETag', 'Content-Security-Policy'] },
}

const common = { method: 'GET', isOutside: true, tag: 'Pages', guard: anyone, caching: 'own' } as const
const tagged = { always: ['ETag'] } as const

export function docsRoutes(deps: Pick<Deps, 'config'>, publicPolls: Pick<PublicPolls, 'feeds'>): Route[] {
  const pages = new DocPages(deps.config.publicUrl)
  let pictures: ReturnType<typeof docPictures> | null = null

  const show = (asset: Asset | null): Reply => {
    if (!asset) throw notFound()
    return assetReply(asset, PAGE_HEADERS)
  }

  return [
    ...homeRoutes(deps, publicPolls),
    route({
      ...common,
      path: '/docs',
      name: 'getDocs',
      summary: 'The start page of the docs',
      description: 'Every guide with a sentence that says what it is about.',
      answers: { 200: pageAnswer },
      handle: async () => show(await pages.overview()),
    }),
    route({
      ...common,
      path: '/docs/{doc}',
      name: 'getDoc',
      summary: 'A guide',
      description: 'As a page, for the running version. Links between guides lead to these pages.',
      params: z.object({
        doc: z
          .string()
          .regex(/^[\w-]{1,80}$/)
          .meta({ description: 'The name of the guide.', examples: ['polls'] }),
      }),
      answers: { 200: pageAnswer },
      errors: ['NOT_FOUND'],
      handle: async ({ params: { doc } }) => show(await pages.doc(doc)),
    }),
    route({
      ...common,
      path: '/docs/api',
      name: 'getReference',
      summary: 'This reference as a page',
      description: 'All operations in one list, with the credentials that they need.',
      answers: { 200: pageAnswer },
      handle: async () => show(await pages.referenceOverview()),
    }),
    route({
      ...common,
      path: '/docs/api/{tag}',
      name: 'getReferencePage',
      summary: 'The operations of one tag',
      description:
        'Each operation with its fields, answers, errors and examples, and a form that sends it to this server.',
      params: z.object({
        tag: z
          .string()
          .regex(/^[\w-]{1,80}$/)
          .meta({ description: 'The name of the tag in lower case.', examples: ['votes'] }),
      }),
      answers: { 200: pageAnswer },
      errors: ['NOT_FOUND'],
      handle: async ({ params: { tag } }) => show(await pages.reference(tag)),
    }),
    route({
      ...common,
      path: '/docs/files/{asset}',
      name: 'getDocsFile',
      summary: 'A stylesheet, a script or the search index of the docs',
      description: 'Pages name the `build` of the file, so that browsers keep it until it changes.',
      params: z.object({
        asset: z.enum(DOCS_FILES).meta({ description: 'The name of the file.', examples: ['docs.js'] }),
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
        const file = await pages.file(asset)
        // A page of another version may name another build: it gets the present file, but may not keep it.
        const isPresent = build === file.build
        return assetReply(file, { 'Content-Type': typeOfFile(asset), 'Cache-Control': isPresent ? LASTING : KEPT })
      },
    }),
    route({
      ...common,
      path: '/docs/images/{picture}',
      name: 'getDocsPicture',
      summary: 'A picture of a guide',
      description: 'What the guides show of polls and pages.',
      params: z.object({
        picture: z
          .string()
          .regex(/^[\w-]{1,80}\.\w{3,4}$/)
          .meta({ description: 'The name of the picture.', examples: ['brand.webp'] }),
      }),
      answers: { 200: { description: 'The picture.', contentType: 'image/webp', headers: tagged } },
      errors: ['NOT_FOUND'],
      handle({ params: { picture } }) {
        pictures ??= docPictures()
        const bytes = Object.hasOwn(pictures, picture) ? pictures[picture] : undefined
        if (bytes === undefined) throw notFound()
        return fileReply(Buffer.from(bytes, 'base64'), typeOfPicture(picture), KEPT)
      },
    }),
    ...(['svg', 'ico'] as const).map((ending) =>
      route({
        ...common,
        path: `/favicon.${ending}`,
        name: ending === 'svg' ? 'getFavicon' : 'getFaviconBitmap',
        summary: ending === 'svg' ? 'The icon of the service' : 'The icon of the service, for older browsers',
        description: 'The icon of the pages that belong to no brand. Browsers keep it for a week.',
        answers: { 200: { description: 'The icon.', contentType: ICON_TYPES[ending], headers: tagged } },
        handle: () => fileReply(Buffer.from(favicons()[ending], 'base64'), ICON_TYPES[ending], ICON_KEPT),
      }),
    ),
  ]
}

const ICON_TYPES = { svg: 'image/svg+xml', ico: 'image/x-icon' } as const

const PICTURE_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

const typeOfPicture = (name: string): string => PICTURE_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'image/webp'

const fileReply = (bytes: Uint8Array<ArrayBuffer>, type: string, cacheControl: string): Reply => ({
  status: 200,
  body: bytes,
  headers: { 'Content-Type': type, 'Cache-Control': cacheControl, ETag: etagOf(bytes) },
})
