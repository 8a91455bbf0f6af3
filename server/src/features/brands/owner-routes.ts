// features/brands: the profile and the theme of a brand, as its owner and as visitors see them.
// Imports features: themes, tokens.

import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import { brandProfile, updateBrandBody } from '../../resources/brand.ts'
import { ownTheme } from '../../resources/theme.ts'
import { presentTheme, themeTag } from '../themes/present-theme.ts'
import { currentStyles } from '../themes/queries.ts'
import { MOST_THEME_BYTES, updateThemeBody } from '../themes/update-body.ts'
import { updateTheme } from '../themes/update-theme.ts'
import { anyBrandScope, brandScope } from '../tokens/guards.ts'
import { brandTag, presentBrandProfile } from './present-brand.ts'
import { findBrandByKey } from './queries.ts'
import { updateBrand } from './update-brand.ts'

const LONGEST_PROFILE_KEY = 128

export function ownerBrandRoutes(deps: Deps): Route[] {
  const anyScope = anyBrandScope(deps)
  const manage = brandScope(deps, 'manage')

  return [
    route({
      method: 'GET',
      path: '/brands/me',
      name: 'getOwnBrand',
      summary: 'The own profile, and the scopes of this token',
      guard: anyScope,
      caching: 'private',
      answers: { 200: { description: 'The profile.', schema: brandProfile } },
      etag: brandTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey, scopes } }) {
        const row = await findBrandByKey(deps.engine.db, brandKey)
        if (!row) throw notFound()
        return { data: presentBrandProfile(deps, row, scopes) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me',
      name: 'updateBrand',
      summary: 'Update some fields of the own profile',
      guard: manage,
      caching: 'private',
      longestKey: LONGEST_PROFILE_KEY,
      body: updateBrandBody,
      answers: { 200: { description: 'The profile as it now is.', schema: brandProfile } },
      etag: brandTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey, scopes }, body, ifMatch }, tx) {
        const row = await updateBrand(deps, tx, { brandKey, patch: body, ifMatch })
        return { data: presentBrandProfile(deps, row, scopes) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/theme',
      name: 'getOwnTheme',
      summary: 'The own theme, with the stylesheet as it was written',
      guard: anyScope,
      caching: 'private',
      answers: { 200: { description: 'The theme.', schema: ownTheme } },
      etag: themeTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey } }) {
        const row = await findBrandByKey(deps.engine.db, brandKey)
        if (!row) throw notFound()
        const styles = await currentStyles(deps.engine.db, brandKey)
        return { data: { ...presentTheme(deps, row), customCss: styles?.source ?? null } }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/theme',
      name: 'updateTheme',
      summary: 'Update some fields of the own theme; its version goes up by one',
      guard: manage,
      caching: 'private',
      body: updateThemeBody,
      mostBodyBytes: MOST_THEME_BYTES,
      answers: { 200: { description: 'The theme as it now is.', schema: ownTheme } },
      etag: themeTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, body, ifMatch }, tx) {
        const row = await updateTheme(deps, tx, { brandKey, patch: body, ifMatch })
        const styles = await currentStyles(tx, brandKey)
        return { data: { ...presentTheme(deps, row), customCss: styles?.source ?? null } }
      },
    }),
  ]
}
