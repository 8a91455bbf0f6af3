// features/brands: the profile and the theme of a brand, as its owner and as visitors see them.

import { brandProfile, updateBrandBody } from '../../events/resources/brand.ts'
import { ownTheme } from '../../events/resources/theme.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandSubject } from '../people/tokens/brand-subject.ts'
import { anyBrandScope, brandScope } from '../people/tokens/guards.ts'
import { brandTag, presentBrandProfile } from './present-brand.ts'
import { brandOfToken } from './queries.ts'
import { presentTheme, themeTag } from './themes/present-theme.ts'
import { currentStyles } from './themes/queries.ts'
import { StylesheetReader } from './themes/stylesheet-reader.ts'
import { MOST_THEME_BYTES, updateThemeBody } from './themes/update-body.ts'
import { updateTheme } from './themes/update-theme.ts'
import { updateBrand } from './update-brand.ts'

const LONGEST_PROFILE_KEY = 128

export function ownerBrandRoutes(deps: Deps): Route[] {
  const anyScope = anyBrandScope(deps)
  const manage = brandScope(deps, 'manage')
  const stylesheets = new StylesheetReader(deps.isolation)

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
      caching: 'private',
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
        const row = await updateBrand(deps, tx, { brandKey, patch: body, ifMatch })
        return { data: presentBrandProfile(deps, row, scopes), subject: await brandSubject(tx, brandKey) }
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
      caching: 'private',
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
