// features/brands/themes: colors, fonts and stylesheet of a brand. The routes are in features/brands.
// A stylesheet is stored as `css/read-css` prints it, never as the brand sent it.

import { z } from 'zod'
import { DAY } from '../../../base/clock.ts'
import { invalidAccessToken } from '../../../base/errors.ts'
import { uniqueList } from '../../../base/fields.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { ABOUT_THEME, THEME_CHOICES } from '../../../events/resources/theme.ts'
import type { Precondition } from '../../../http/precondition.ts'
import type { Deps } from '../../deps.ts'
import { fileBehind, type UploadSlot } from '../../uploads/files.ts'
import { MOST_BYTES } from './css/problems.ts'
import { presentTheme, type StoredTheme, storedTheme, type ThemeRow } from './present-theme.ts'

/** Some programs escape all non-ASCII characters as \uXXXX, which makes a stylesheet three times as long. */
export const MOST_THEME_BYTES = 3 * MOST_BYTES + 16 * 1024

const MOST_ORIGINS = 20
const LONGEST_ORIGIN = 255

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour as #rrggbb.')
  .toLowerCase()
  .nullable()
  .optional()

const assetUrl = z.string().max(2_048).nullable().optional()

/** No wildcard, because the origin is copied into the `frame-ancestors` policy. */
const ORIGIN = /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d+)?$/

const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text

const origin = z
  .string()
  .max(LONGEST_ORIGIN)
  .refine(isOrigin, {
    error: 'Must be an origin in lower case without a path, such as https://www.example.com.',
    params: { code: 'invalid_origin' },
  })

/** The text is read by `StylesheetReader`, beside the event loop. */
const customCss = z.string().meta({ maxLength: MOST_BYTES }).nullable().optional()

export const updateThemeBody = z
  .strictObject({
    radius: THEME_CHOICES.radius.nullable().optional().meta(ABOUT_THEME.radius),
    density: THEME_CHOICES.density.nullable().optional().meta(ABOUT_THEME.density),
    fontStack: THEME_CHOICES.fontStack.nullable().optional().meta(ABOUT_THEME.fontStack),
    titlePlacement: THEME_CHOICES.titlePlacement.nullable().optional().meta(ABOUT_THEME.titlePlacement),
    labelPlacement: THEME_CHOICES.labelPlacement.nullable().optional().meta(ABOUT_THEME.labelPlacement),
    labelAlign: THEME_CHOICES.labelAlign.nullable().optional().meta(ABOUT_THEME.labelAlign),
    elevation: THEME_CHOICES.elevation.nullable().optional().meta(ABOUT_THEME.elevation),
    hideWatermark: THEME_CHOICES.hideWatermark.nullable().optional().meta(ABOUT_THEME.hideWatermark),
    motion: THEME_CHOICES.motion.nullable().optional().meta(ABOUT_THEME.motion),
    colorScheme: THEME_CHOICES.colorScheme.nullable().optional().meta(ABOUT_THEME.colorScheme),
    shareResults: THEME_CHOICES.shareResults.nullable().optional().meta(ABOUT_THEME.shareResults),
    embedStorage: THEME_CHOICES.embedStorage.nullable().optional().meta(ABOUT_THEME.embedStorage),
    accent: color.meta(ABOUT_THEME.accent),
    background: color.meta(ABOUT_THEME.background),
    foreground: color.meta(ABOUT_THEME.foreground),
    logoLightUrl: assetUrl.meta(ABOUT_THEME.logoLightUrl),
    logoDarkUrl: assetUrl.meta(ABOUT_THEME.logoDarkUrl),
    faviconUrl: assetUrl.meta(ABOUT_THEME.faviconUrl),
    embedOrigins: uniqueList(origin, { most: MOST_ORIGINS }).nullable().optional().meta(ABOUT_THEME.embedOrigins),
    customCss: customCss.meta(ABOUT_THEME.customCss),
  })
  .meta({
    id: 'ThemeUpdate',
    description: 'The fields to change. Omitted fields keep their value; null resets a field to its default.',
  })

type UpdateTheme = z.infer<typeof updateThemeBody>

/** The current stylesheet. */
export const currentStyles = (db: Db, brandKey: number) =>
  db
    .selectFrom('theme_styles')
    .select(['from_version', 'source'])
    .where('brand_key', '=', brandKey)
    .where('until_version', 'is', null)
    .executeTakeFirst()

/** The stylesheet of a version of a theme; undefined for an unknown version or brand, or one without a stylesheet. */
export const stylesOfVersion = (db: Db, slug: string, version: number) =>
  db
    .selectFrom('theme_styles')
    .innerJoin('brands', 'brands.key', 'theme_styles.brand_key')
    .select(['css', 'source', 'from_version'])
    .where('brands.slug', '=', slug)
    .where('brands.deleted_at', 'is', null)
    .where('brands.theme_version', '>=', version)
    .where('from_version', '<=', version)
    .where(({ eb, or }) => or([eb('until_version', 'is', null), eb('until_version', '>', version)]))
    .executeTakeFirst()

const STYLES_KEPT_FOR = 30 * DAY
const MOST_STYLES_KEPT = 50

/** Keeps recently replaced stylesheets, because open or cached pages may still request them. */
async function removeOldStyles(tx: Tx, brandKey: number, now: number): Promise<void> {
  const kept = tx
    .selectFrom('theme_styles')
    .select('from_version')
    .where('brand_key', '=', brandKey)
    .orderBy('from_version', 'desc')
    .limit(MOST_STYLES_KEPT)
  await tx
    .deleteFrom('theme_styles')
    .where('brand_key', '=', brandKey)
    .where('retired_at', 'is not', null)
    .where(({ eb, or }) => or([eb('retired_at', '<', now - STYLES_KEPT_FOR), eb('from_version', 'not in', kept)]))
    .execute()
}

interface Request {
  readonly brandKey: number
  readonly patch: UpdateTheme
  /** `customCss` of the patch, as it is served. */
  readonly printedCss: string | null
  readonly ifMatch?: Precondition | null
}

type Updating = Pick<Deps, 'bus' | 'changes' | 'clock' | 'config'>

/** Increments the version first, which locks the brand's row, so that concurrent changes are merged and not lost. */
export async function updateTheme(deps: Updating, tx: Tx, request: Request): Promise<ThemeRow> {
  const { brandKey, patch, ifMatch } = request
  const now = deps.clock.now()
  const row = await tx
    .updateTable('brands')
    .set(({ eb }) => ({ theme_version: eb('theme_version', '+', 1), updated_at: now }))
    .where('key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .returning(['slug', 'theme', 'theme_version'])
    .executeTakeFirstOrThrow(invalidAccessToken)
  ifMatch?.(row.theme_version - 1)
  const merged = merge(storedTheme(row), { ...settingsOf(patch), ...(await assetsOf(deps, tx, request)) })
  if (patch.customCss !== undefined) await replaceStyles(tx, request, { version: row.theme_version, now })
  const theme = JSON.stringify(merged)
  await tx.updateTable('brands').set({ theme }).where('key', '=', brandKey).execute()
  await deps.changes.brand(tx, brandKey)
  const updated = { ...row, theme }
  const data = () => ({ theme: presentTheme(deps, updated) })
  await deps.bus.emit(tx, { brandKey, type: 'brand.theme_updated', at: now, data })
  return updated
}

type Merged = { [Name in keyof StoredTheme]?: StoredTheme[Name] | null | undefined }

/** Absent fields keep their value, and null resets a field. */
function merge(stored: StoredTheme, changes: Merged): StoredTheme {
  const merged = new Map(Object.entries(stored))
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) merged.delete(name)
    else if (value !== undefined) merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

function settingsOf({ customCss, logoLightUrl, logoDarkUrl, faviconUrl, ...settings }: UpdateTheme): Merged {
  if (customCss === undefined) return settings
  return { ...settings, hasStyles: customCss === null ? null : true }
}

async function assetsOf(deps: Updating, tx: Tx, { brandKey, patch }: Request): Promise<Merged> {
  const pick = (path: 'logoLightUrl' | 'logoDarkUrl' | 'faviconUrl', slot: UploadSlot) =>
    fileBehind(tx, deps, { path, url: patch[path], brandKey, slot })
  return {
    logoLight: await pick('logoLightUrl', 'logo_light'),
    logoDark: await pick('logoDarkUrl', 'logo_dark'),
    favicon: await pick('faviconUrl', 'favicon'),
  }
}

/** Each stylesheet is valid for the versions until the next one, so the content of a URL never changes. */
async function replaceStyles(
  tx: Tx,
  { brandKey, patch: { customCss: source = null }, printedCss }: Request,
  { version, now }: { version: number; now: number },
): Promise<void> {
  const current = await currentStyles(tx, brandKey)
  if (current?.source === source) return
  await tx
    .updateTable('theme_styles')
    .set({ until_version: version, retired_at: now })
    .where('brand_key', '=', brandKey)
    .where('until_version', 'is', null)
    .execute()
  if (source !== null && printedCss !== null) {
    await tx
      .insertInto('theme_styles')
      .values({ brand_key: brandKey, from_version: version, source, css: printedCss, created_at: now })
      .execute()
  }
  await removeOldStyles(tx, brandKey, now)
}
