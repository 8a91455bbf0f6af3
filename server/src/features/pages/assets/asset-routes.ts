// features/pages/assets: the scripts, styles and typefaces that pages and embeds load.

import { z } from 'zod'
import { LANGUAGES } from '../../../../../embed/src/languages.ts'
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { elementStylesheet } from '../../../../../embed/src/theme/stylesheet.ts'
import { LANGS, type Lang } from '../../../../../embed/src/words.ts'
import { notFound } from '../../../base/errors.ts'
import { textLike } from '../../../base/fields.ts'
import { madeOnce } from '../../../base/work/single-flight.ts'
import { type Asset, assetOf, assetReply } from '../../../http/answers/reply.ts'
import { outside, type Route, route } from '../../../http/route.ts'
import { buildCheck, buildElementScripts, buildSolver, buildStage } from './browser-script.ts'

/** Scripts that `/embed.js` loads on demand. */
const PARTS = ['campaign', 'brand', 'after', 'before', 'ask', 'code', 'dress', 'later', 'receipt'] as const

interface ElementScriptAssets extends Readonly<Record<'embed' | (typeof PARTS)[number], Asset>> {
  /** Names the scripts of one build, which fit together. */
  readonly build: string
}

/** The scripts of the elements, built at the first request of a service. */
export const elementScripts = () =>
  madeOnce(async (): Promise<ElementScriptAssets> => {
    const { build, ...scripts } = await buildElementScripts()
    const assets = Object.entries(scripts).map(([name, script]) => [name, assetOf(script)])
    return { build, ...Object.fromEntries(assets) }
  })

export const partAddress = (part: (typeof PARTS)[number], build: string): string =>
  `/embed/parts/${part}?build=${build}`

const headersOf = (contentType: string) => ({
  'Content-Type': contentType,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // Browsers keep it for five minutes, and for a day while they fetch a newer one.
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
})

const headers = { always: ['ETag', 'Cross-Origin-Resource-Policy'] } as const

/** Parts of the build that a script names never change. */
const LASTING = 'public, max-age=31536000, immutable'

/** A script that is bundled when it is first asked for. */
function scriptRoute(path: string, name: string, build: () => Promise<string>): Route {
  const script = madeOnce(async () => assetOf(await build()))
  return route({
    ...outside,
    path,
    name,
    answers: { 200: { description: 'The ES module.', contentType: 'text/javascript', headers } },
    handle: async () => assetReply(await script(), headersOf('text/javascript; charset=utf-8')),
  })
}

/** The files of the elements, and the scripts of pages that have one of their own. */
export function embedAssetRoutes(scripts: () => Promise<ElementScriptAssets> | ElementScriptAssets): Route[] {
  const styles = assetOf(compactCss(elementStylesheet))
  const words = new Map<Lang, Asset>()

  return [
    route({
      ...outside,
      path: '/embed.js',
      name: 'getEmbedScript',
      answers: { 200: { description: 'The ES module.', contentType: 'text/javascript', headers } },
      handle: async () => assetReply((await scripts()).embed, headersOf('text/javascript; charset=utf-8')),
    }),

    route({
      ...outside,
      path: '/embed/parts/{part}',
      name: 'getEmbedPart',
      params: z.object({
        part: z.enum(PARTS).meta({ description: 'The name of the part.', examples: ['after'] }),
      }),
      query: z.object({
        build: z
          .string()
          .regex(/^[\w-]{12}$/)
          .optional()
          .meta({ description: 'The build that `/embed.js` names.', examples: ['Xk3_pQ9vZ2Lm'] }),
        attempt: z
          .string()
          .regex(/^\d{1,6}$/)
          .optional()
          .meta({ description: 'Makes an address of its own for each attempt.', examples: ['1'] }),
      }),
      answers: { 200: { description: 'The ES module.', contentType: 'text/javascript', headers } },
      errors: ['NOT_FOUND'],
      async handle({ params: { part }, query: { build } }) {
        const made = await scripts()
        if (build !== undefined && build !== made.build) throw notFound()
        const reply = headersOf('text/javascript; charset=utf-8')
        return assetReply(made[part], build ? { ...reply, 'Cache-Control': LASTING } : reply)
      },
    }),

    scriptRoute('/embed/solve.js', 'getEmbedSolver', buildSolver),
    scriptRoute('/embed/stage.js', 'getStageScript', buildStage),
    scriptRoute('/embed/check.js', 'getCheckScript', buildCheck),

    route({
      ...outside,
      path: '/embed/poll.css',
      name: 'getEmbedStyles',
      answers: { 200: { description: 'A stylesheet.', contentType: 'text/css', headers } },
      handle: () => assetReply(styles, headersOf('text/css; charset=utf-8')),
    }),

    route({
      ...outside,
      path: '/embed/words/{lang}',
      name: 'getEmbedWords',
      params: z.object({
        lang: textLike(/^[A-Za-z-]{2,35}$/, 'A language.', 'en'),
      }),
      answers: {
        200: {
          description: 'The words, by their purpose.',
          contentType: 'application/json',
          schema: z
            .record(z.string(), z.unknown())
            .meta({ description: 'The words.', examples: [{ thanks: 'Danke!' }] }),
          headers,
        },
      },
      errors: ['NOT_FOUND'],
      handle({ params: { lang } }) {
        const known = LANGS.find((each) => each === lang)
        if (!known) throw notFound()
        const asset = words.get(known) ?? assetOf(JSON.stringify(LANGUAGES[known]))
        words.set(known, asset)
        return assetReply(asset, headersOf('application/json'))
      },
    }),
  ]
}
