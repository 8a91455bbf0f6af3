// features/brands: the profile and the theme of a brand, as its owner and as visitors see them.
import { z } from 'zod'
import { Cache } from '../../base/cache.ts'
import { orNotFound } from '../../base/errors.ts'
import { brandParams, brandProfile, publicBrand, updateBrandBody } from '../../events/resources/brand.ts'
import { ownTheme, theme } from '../../events/resources/theme.ts'
import { etagOf } from '../../http/answers/caching.ts'
import { PackedText } from '../../http/answers/content-coding.ts'
import { anyone, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { brandSubject } from '../people/tokens/queries.ts'
import { brandOfToken, brandTag, findBrand, presentBrandProfile, presentPublicBrand, updateBrand } from './brands.ts'
import { presentTheme, themeTag } from './themes/present-theme.ts'
import { StylesheetReader } from './themes/stylesheet-reader.ts'
import { PRINTED_BY, versionIn } from './themes/stylesheet-url.ts'
import {
  currentStyles,
  MOST_THEME_BYTES,
  stylesOfVersion,
  updateTheme,
  updateThemeBody,
} from './themes/update-theme.ts'

const YEAR_SECONDS = 31_536_000
const MOST_PACKED_STYLES = 100

export function brandRoutes(deps: Deps): Route[] {
  const stylesheets = new StylesheetReader(deps.isolation)
  return [...publicBrandRoutes(deps, stylesheets), ...ownerBrandRoutes(deps, stylesheets)]
}

function publicBrandRoutes(deps: Deps, stylesheets: StylesheetReader): Route[] {
  /** By ETag: the texts are read from the database for each request. */
  const packedStyles = new Cache<string, PackedText>(MOST_PACKED_STYLES)

  const brandOf = async (slug: string) => orNotFound(await findBrand(deps.engine.db, slug))

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
        const styles = orNotFound(
          version === null ? undefined : await stylesOfVersion(deps.engine.db, brandSlug, version),
        )
        const css = styles.css.startsWith(PRINTED_BY) ? styles.css : await stylesheets.printAllowed(styles.source)
        const etag = etagOf(css)
        const packed = packedStyles.get(etag) ?? new PackedText(css, 'best')
        packedStyles.set(etag, packed)
        return {
          status: 200,
          body: css,
          packed,
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

const LONGEST_PROFILE_KEY = 128

function ownerBrandRoutes(deps: Deps, stylesheets: StylesheetReader): Route[] {
  const anyScope = brandScope(deps)
  const manage = brandScope(deps, 'manage')

  return [
    route({
      method: 'GET',
      path: '/brands/me',
      name: 'getOwnBrand',
      tag: 'Brands',
      summary: 'Your profile, and the scopes of this token',
      description:
        'The brand of the token, with the scopes that the token holds. Any scope is enough. Keep the ETag for a later `PATCH` with `If-Match`.',
      guard: anyScope,
      caching: 'revalidated',
      answers: { 200: { description: 'The profile.', schema: brandProfile } },
      etag: brandTag,
      async handle({ identity: { brandKey, scopes } }) {
        const row = await brandOfToken(deps.engine.db, brandKey)
        return { data: presentBrandProfile(deps, row, scopes) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me',
      name: 'updateBrand',
      action: 'brand.updated',
      tag: 'Brands',
      summary: 'Update your profile',
      description:
        'Changes only the fields in the body; null clears an optional field. Emits `brand.updated`. The idempotency key of this operation has at most 128 characters.',
      guard: manage,
      caching: 'private',
      longestKey: LONGEST_PROFILE_KEY,
      body: updateBrandBody,
      answers: { 200: { description: 'The profile as it now is.', schema: brandProfile } },
      etag: brandTag,
      async handle({ identity: { brandKey, scopes }, body, ifMatch }, tx) {
        const { row, isChanged } = await updateBrand(deps, tx, { brandKey, patch: body, ifMatch })
        const subject = isChanged ? await brandSubject(tx, brandKey) : null
        return { data: presentBrandProfile(deps, row, scopes), subject }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/theme',
      name: 'getOwnTheme',
      tag: 'Themes',
      summary: 'Your theme, with the original stylesheet',
      description:
        'The theme with every field resolved, and the stylesheet as the brand wrote it. Use the ETag as `If-Match`.',
      guard: anyScope,
      caching: 'revalidated',
      answers: { 200: { description: 'The theme.', schema: ownTheme } },
      etag: themeTag,
      async handle({ identity: { brandKey } }) {
        const row = await brandOfToken(deps.engine.db, brandKey)
        const styles = await currentStyles(deps.engine.db, brandKey)
        return { data: { ...presentTheme(deps, row), customCss: styles?.source ?? null } }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/theme',
      name: 'updateTheme',
      action: 'brand.theme_updated',
      tag: 'Themes',
      summary: 'Update your theme',
      description:
        'Changes only the fields in the body; null resets a field to its default. A stylesheet with forbidden rules is refused with the line and column of each problem. Emits `brand.theme_updated`. A replay with the same idempotency key does not increase the version again.',
      guard: manage,
      caching: 'private',
      body: updateThemeBody,
      mostBodyBytes: MOST_THEME_BYTES,
      answers: { 200: { description: 'The theme after the change.', schema: ownTheme } },
      etag: themeTag,
      prepare: (rawBody) => stylesheets.print(rawBody),
      async handle({ identity: { brandKey }, body, ifMatch }, tx, printedCss) {
        const row = await updateTheme(deps, tx, { brandKey, patch: body, printedCss, ifMatch })
        const styles = await currentStyles(tx, brandKey)
        const data = { ...presentTheme(deps, row), customCss: styles?.source ?? null }
        return { data, subject: await brandSubject(tx, brandKey) }
      },
    }),
  ]
}
