import type { OwnTheme, Theme } from '../../../events/resources/theme.ts'
import { versionedTag } from '../../../http/precondition.ts'
import type { Deps } from '../../deps.ts'
import { publicUrl } from '../../uploads/files.ts'
import { stylesheetUrl } from './stylesheet-url.ts'

/** The stored theme of a brand. Files are stored by their key; a stylesheet only by the fact that it exists. */
export type StoredTheme = Partial<
  Omit<Theme, 'logoLightUrl' | 'logoDarkUrl' | 'faviconUrl' | 'customCssUrl' | 'version'> &
    Record<'logoLight' | 'logoDark' | 'favicon', string> & { hasStyles: true }
>

export interface ThemeRow {
  readonly slug: string
  readonly theme: string
  readonly theme_version: number
}

export const storedTheme = (row: Pick<ThemeRow, 'theme'>): StoredTheme => JSON.parse(row.theme) as StoredTheme

const DEFAULTS = {
  radius: 'MD',
  density: 'COMFORTABLE',
  fontStack: 'SYSTEM',
  titlePlacement: 'ABOVE',
  labelPlacement: 'BELOW',
  labelAlign: 'START',
  elevation: 'LOW',
  hideWatermark: false,
  motion: 'FULL',
  colorScheme: 'AUTO',
  shareResults: 'HIDDEN',
  embedStorage: 'ASK',
  accent: null,
  background: null,
  foreground: null,
  embedOrigins: [],
} satisfies StoredTheme

/** An answer contains every field: unset fields have their default. */
export function presentTheme(deps: Pick<Deps, 'config'>, row: ThemeRow): Theme {
  const { logoLight, logoDark, favicon, hasStyles, ...settings } = storedTheme(row)
  const urlOf = (key: string | undefined) => (key === undefined ? null : publicUrl(deps, key))
  return {
    ...DEFAULTS,
    ...settings,
    logoLightUrl: urlOf(logoLight),
    logoDarkUrl: urlOf(logoDark),
    faviconUrl: urlOf(favicon),
    customCssUrl: hasStyles ? stylesheetUrl(deps, row.slug, row.theme_version) : null,
    version: row.theme_version,
  }
}

export const themeTag = (shown: OwnTheme): string => versionedTag(shown.version, shown)
