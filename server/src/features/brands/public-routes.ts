import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { brandParams, publicBrand } from '../../events/resources/brand.ts'
import { theme } from '../../events/resources/theme.ts'
import { etagOf } from '../../http/answers/caching.ts'
import { PackedTexts } from '../../http/answers/content-coding.ts'
import { anyone, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { presentPublicBrand } from './present-brand.ts'
import { findBrand } from './queries.ts'
import { presentTheme } from './themes/present-theme.ts'
import { stylesOfVersion } from './themes/queries.ts'
import { StylesheetReader } from './themes/stylesheet-reader.ts'
import { PRINTED_BY, versionIn } from './themes/stylesheet-url.ts'

const YEAR_SECONDS = 31_536_000
const MOST_PACKED_STYLES = 100

export function publicBrandRoutes(deps: Deps): Route[] {
  const packed = new PackedTexts(MOST_PACKED_STYLES)
  const stylesheets = new StylesheetReader(deps.isolation)

  async function brandOf(slug: string) {
    const brand = await findBrand(deps.engine.db, slug)
    if (!brand) throw notFound()
    return brand
  }

  return [
    route({
      method: 'GET',
      path: '/brands/{brandSlug}',
      name: 'getBrand',
      tag: 'Brands',
      summary: 'The public profile of a brand',
      description: 'The profile as visitors see it. No credentials required. Cacheable for two seconds.',
      guard: anyone,
      caching: 'public',
      params: brandParams,
      answers: { 200: { description: 'The brand.', schema: publicBrand } },
      errors: ['NOT_FOUND'],
      async handle({ params }) {
        const brand = await brandOf(params.brandSlug)
        return { data: presentPublicBrand(deps, brand) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/{brandSlug}/theme',
      name: 'getTheme',
      tag: 'Themes',
      summary: "A brand's theme",
      description:
        'Every field is resolved: fields that the brand has not set have their default. The ETag is the version of the theme, so a page can keep its copy until the version changes.',
      guard: anyone,
      caching: 'public',
      params: brandParams,
      answers: { 200: { description: 'The theme, with every field resolved.', schema: theme } },
      errors: ['NOT_FOUND'],
      async handle({ params }) {
        const brand = await brandOf(params.brandSlug)
        const data = presentTheme(deps, brand)
        return { ready: { body: JSON.stringify({ data }), etag: `"v${data.version}"`, changesAt: null } }
      },
    }),

    route({
      method: 'GET',
      path: '/css/{brandSlug}/{file}',
      isOutside: true,
      name: 'getStylesheet',
      tag: 'Themes',
      summary: "A brand's stylesheet, as of one version of its theme",
      description:
        'The file is named `v{version}-{edition of the rules}.css`. The content of a URL never changes, so it can be cached for a year; `customCssUrl` of the theme is the current one. A replaced stylesheet stays available for up to 30 days. What later rules refuse of a stylesheet is left out.',
      guard: anyone,
      caching: 'own',
      params: z.object({
        brandSlug: z.string().meta({ description: 'The slug of the brand.', examples: ['corner-cafe'] }),
        file: z.string().meta({ description: 'The version of the theme.', examples: ['v7-2.css'] }),
      }),
      answers: {
        200: {
          description: 'The stylesheet.',
          contentType: 'text/css',
          headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
        },
      },
      errors: ['NOT_FOUND'],
      async handle({ params: { brandSlug, file } }) {
        const version = brandParams.safeParse({ brandSlug }).success ? versionIn(file) : null
        const styles = version === null ? undefined : await stylesOfVersion(deps.engine.db, brandSlug, version)
        if (!styles) throw notFound()
        const css = styles.css.startsWith(PRINTED_BY) ? styles.css : await stylesheets.printAllowed(styles.source)
        const etag = etagOf(css)
        return {
          status: 200,
          body: css,
          packed: packed.find(etag, css),
          headers: {
            'Content-Type': 'text/css; charset=utf-8',
            // An empty one took the place of one that could not be read: the next attempt may succeed.
            'Cache-Control': css === PRINTED_BY ? 'no-store' : `public, max-age=${YEAR_SECONDS}, immutable`,
            'Cross-Origin-Resource-Policy': 'cross-origin',
            ETag: etag,
          },
        }
      },
    }),
  ]
}
