import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { versionedTag } from '../../http/precondition.ts'
import { publicUrl } from '../uploads/files.ts'
import { stylesheetUrl } from './stylesheet-url.ts'

export const RADII = ['NONE', 'SM', 'MD', 'LG', 'FULL'] as const
export const DENSITIES = ['COMFORTABLE', 'COMPACT'] as const
export const FONT_STACKS = ['SYSTEM', 'SERIF', 'MONO', 'ROUNDED'] as const
export const TITLE_PLACEMENTS = ['ABOVE', 'BELOW', 'HIDDEN'] as const
export const LABEL_PLACEMENTS = ['OVERLAY', 'BELOW', 'HIDDEN'] as const
export const LABEL_ALIGNS = ['START', 'CENTER', 'END'] as const
export const ELEVATIONS = ['NONE', 'LOW', 'HIGH'] as const

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/)
  .nullable()

const fields = {
  radius: z.enum(RADII),
  density: z.enum(DENSITIES),
  fontStack: z.enum(FONT_STACKS),
  titlePlacement: z.enum(TITLE_PLACEMENTS),
  labelPlacement: z.enum(LABEL_PLACEMENTS),
  labelAlign: z.enum(LABEL_ALIGNS),
  elevation: z.enum(ELEVATIONS),
  hideWatermark: z.boolean(),
  accent: color,
  background: color,
  foreground: color,
  logoLightUrl: z.string().nullable(),
  logoDarkUrl: z.string().nullable(),
  faviconUrl: z.string().nullable(),
  embedOrigins: z.array(z.string()),
  customCssUrl: z.string().nullable(),
  version: z.int().nonnegative(),
}

export const theme = z.strictObject(fields).meta({ id: 'Theme' })
export const ownTheme = z.strictObject({ ...fields, customCss: z.string().nullable() }).meta({ id: 'OwnTheme' })

export type Theme = z.infer<typeof theme>

/** What a brand has set, as it is stored: a file stands there by its key, a stylesheet by its being there. */
export interface StoredTheme {
  radius?: Theme['radius']
  density?: Theme['density']
  fontStack?: Theme['fontStack']
  titlePlacement?: Theme['titlePlacement']
  labelPlacement?: Theme['labelPlacement']
  labelAlign?: Theme['labelAlign']
  elevation?: Theme['elevation']
  hideWatermark?: boolean
  accent?: string
  background?: string
  foreground?: string
  embedOrigins?: string[]
  logoLight?: string
  logoDark?: string
  favicon?: string
  hasStyles?: true
}

export interface ThemeRow {
  readonly slug: string
  readonly theme: string
  readonly theme_version: number
}

export const storedTheme = (row: Pick<ThemeRow, 'theme'>): StoredTheme => JSON.parse(row.theme) as StoredTheme

/** What a brand has not set has its default: an answer always carries every field. */
export function presentTheme(deps: Pick<Deps, 'config'>, row: ThemeRow): Theme {
  const stored = storedTheme(row)
  const urlOf = (key: string | undefined) => (key === undefined ? null : publicUrl(deps, key))
  return {
    radius: stored.radius ?? 'MD',
    density: stored.density ?? 'COMFORTABLE',
    fontStack: stored.fontStack ?? 'SYSTEM',
    titlePlacement: stored.titlePlacement ?? 'ABOVE',
    labelPlacement: stored.labelPlacement ?? 'BELOW',
    labelAlign: stored.labelAlign ?? 'CENTER',
    elevation: stored.elevation ?? 'LOW',
    hideWatermark: stored.hideWatermark ?? false,
    accent: stored.accent ?? null,
    background: stored.background ?? null,
    foreground: stored.foreground ?? null,
    logoLightUrl: urlOf(stored.logoLight),
    logoDarkUrl: urlOf(stored.logoDark),
    faviconUrl: urlOf(stored.favicon),
    embedOrigins: stored.embedOrigins ?? [],
    customCssUrl: stored.hasStyles ? stylesheetUrl(deps, row.slug, row.theme_version) : null,
    version: row.theme_version,
  }
}

export const themeTag = (shown: z.infer<typeof ownTheme>): string => versionedTag(shown.version, shown)
