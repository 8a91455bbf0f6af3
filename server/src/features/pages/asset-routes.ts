import { z } from 'zod'
import { compactCss } from '../../../../embed/src/compact-css.ts'
import { LANGUAGES } from '../../../../embed/src/languages.ts'
import { elementStylesheet } from '../../../../embed/src/stylesheet.ts'
import { LANGS, type Lang } from '../../../../embed/src/words.ts'
import { notFound } from '../../base/errors.ts'
import { SingleFlight } from '../../base/single-flight.ts'
import { anyone } from '../../http/guard.ts'
import { type Route, route } from '../../http/route.ts'
import { type Asset, assetOf, assetReply } from './asset.ts'
import { buildBrowserScript } from './browser-script.ts'

const headersOf = (contentType: string) => ({
  'Content-Type': contentType,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // Browsers keep it for five minutes, and for a day while they fetch a newer one.
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
})

/** The files of the elements. */
export function embedAssetRoutes(): Route[] {
  let script: Asset | null = null
  const building = new SingleFlight<'script', Asset>()
  const styles = assetOf(compactCss(elementStylesheet))
  const words = new Map<Lang, Asset>()

  return [
    route({
      method: 'GET',
      path: '/embed.js',
      isOutside: true,
      name: 'getEmbedScript',
      summary: 'The script behind `<tossup-poll>`, `<tossup-campaign>` and `<tossup-feed>`',
      guard: anyone,
      caching: 'own',
      answers: { 200: { description: 'A module.', contentType: 'text/javascript' } },
      async handle() {
        script ??= await building.run('script', () => buildBrowserScript().then(assetOf))
        return assetReply(script, headersOf('text/javascript; charset=utf-8'))
      },
    }),

    route({
      method: 'GET',
      path: '/embed/poll.css',
      isOutside: true,
      name: 'getEmbedStyles',
      summary: 'What every poll looks like, before a brand says anything',
      guard: anyone,
      caching: 'own',
      answers: { 200: { description: 'A stylesheet.', contentType: 'text/css' } },
      handle: () => assetReply(styles, headersOf('text/css; charset=utf-8')),
    }),

    route({
      method: 'GET',
      path: '/embed/words/{lang}',
      isOutside: true,
      name: 'getEmbedWords',
      summary: 'What the elements say by themselves, in one of their languages',
      guard: anyone,
      caching: 'own',
      params: z.object({
        lang: z
          .string()
          .regex(/^[A-Za-z-]{2,35}$/)
          .meta({ description: 'A language.', examples: ['en'] }),
      }),
      answers: { 200: { description: 'The words, by what they are for.', contentType: 'application/json' } },
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
