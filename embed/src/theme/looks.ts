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
  /** The place that leads to the poll, such as a newsletter: sent with votes and views. */
  readonly source?: string | null
  /** Set: a press on an option chooses it, and another one votes. On a page also the answer that is chosen at first, `A` or `B`. */
  readonly confirm?: string | null
  /** Polls with codes: after each vote the next person enters their code. */
  readonly kiosk?: string | null
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
  'source',
  'confirm',
] as const satisfies (keyof Looks)[]

/** An attribute without a value is true; `false` is false. */
export const isSet = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && value !== 'false' && value !== '0'

/** Invalid values are ignored: the poll is shown in any case. */
export const renderOptionsOf = ({ hideTitle, hideBrand, lang }: Looks): RenderOptions => ({
  hideTitle: isSet(hideTitle),
  hideBrand: isSet(hideBrand),
  lang: lang || 'en',
})

/** Undefined if it is malformed or missing: the service would refuse a vote that names it. */
export const sourceOf = ({ source }: Looks): string | undefined =>
  source && /^[\da-z_-]{1,40}$/.test(source) ? source : undefined

/** Null if the accent is invalid or missing. */
export const accentOf = ({ accent }: Looks): string | null =>
  accent && /^#?[0-9a-f]{6}$/i.test(accent) ? `#${accent.replace('#', '').toLowerCase()}` : null

/** The theme as one place shows it: what is set there counts before what the brand has set. */
export function themeWith<Theme extends ThemeView>(theme: Theme, looks: Looks): Theme {
  const accent = accentOf(looks) ?? theme.accent
  const scheme = /^(light|dark|auto)$/.test(looks.theme ?? '') ? looks.theme?.toUpperCase() : theme.colorScheme
  return { ...theme, accent, colorScheme: scheme as Theme['colorScheme'] }
}

/** The attribute of a poll and of a page: `auto` and `host` follow their surroundings, the other two are fixed. */
export const schemeOf = ({ colorScheme = 'AUTO' }: ThemeView): string => colorScheme.toLowerCase()
