import type { RenderOptions, ThemeView } from '../poll-view.ts'

/** The appearance options of an embed: attributes of an element, parameters of a frame. */
export interface Looks {
  readonly theme?: string | null
  readonly accent?: string | null
  readonly hideTitle?: string | null
  readonly hideBrand?: string | null
  readonly lang?: string | null
  /** Campaigns: whether the next poll follows without a press. */
  readonly autoAdvance?: string | null
  /** No sharing of the answer and no way to the next poll after a vote. */
  readonly hideAfter?: string | null
  /** `none`: nothing is stored in the browser, and nothing is read from its storage. */
  readonly storage?: string | null
}

export const LOOKS = [
  'theme',
  'accent',
  'hideTitle',
  'hideBrand',
  'lang',
  'autoAdvance',
  'hideAfter',
  'storage',
] as const satisfies (keyof Looks)[]

/** An attribute without a value is true; `false` is false. */
export const isSet = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && value !== 'false' && value !== '0'

/** Invalid values are ignored: the poll is shown in any case. */
export const renderOptionsOf = ({ theme, hideTitle, hideBrand, lang }: Looks): RenderOptions => ({
  scheme: theme === 'light' || theme === 'dark' ? theme : 'auto',
  hideTitle: isSet(hideTitle),
  hideBrand: isSet(hideBrand),
  lang: lang || 'en',
})

/** Null if the accent is invalid or missing. */
export const accentOf = ({ accent }: Looks): string | null =>
  accent && /^#?[0-9a-f]{6}$/i.test(accent) ? `#${accent.replace('#', '').toLowerCase()}` : null

export function themeWith<Theme extends ThemeView>(theme: Theme, looks: Looks): Theme {
  const accent = accentOf(looks)
  return accent === null ? theme : { ...theme, accent }
}
