import { type OwnTheme, type ThemeUpdate, themePresets } from '../../../../sdk/src/index.ts'
import type { FieldErrors } from '../../parts/messages/messages.ts'
import type { PickedPicture, Uploads } from '../../parts/pictures/picked-picture.ts'
import { formWords } from '../../words/form-words.ts'

export const ASSETS = ['logoLightUrl', 'logoDarkUrl', 'faviconUrl'] as const
export type AssetName = (typeof ASSETS)[number]

export const COLORS = ['accent', 'background', 'foreground'] as const
export type ColorName = (typeof COLORS)[number]

/** The shape of polls. */
export const CHOICES = {
  fontStack: ['SYSTEM', 'SERIF', 'MONO', 'ROUNDED', 'MANROPE', 'INHERIT'],
  radius: ['NONE', 'SM', 'MD', 'LG', 'FULL'],
  density: ['COMFORTABLE', 'COMPACT'],
  elevation: ['NONE', 'LOW', 'HIGH'],
  titlePlacement: ['ABOVE', 'BELOW', 'HIDDEN'],
  labelPlacement: ['OVERLAY', 'BELOW', 'HIDDEN'],
  labelAlign: ['START', 'CENTER', 'END'],
} as const
export type ChoiceName = keyof typeof CHOICES

/** Choices that are each explained in a sentence. */
export const BEHAVIOURS = {
  colorScheme: ['AUTO', 'HOST', 'LIGHT', 'DARK'],
  motion: ['FULL', 'NONE'],
  shareResults: ['HIDDEN', 'SHOWN'],
  embedStorage: ['ASK', 'ALLOW'],
} as const
export type BehaviourName = keyof typeof BEHAVIOURS

/** The theme as it stands in the form. */
export interface ThemeDraft extends Pick<OwnTheme, ChoiceName | BehaviourName | 'hideWatermark'> {
  /** The colour as typed; empty for the default. */
  readonly accent: string
  readonly background: string
  readonly foreground: string
  readonly logoLightUrl: PickedPicture
  readonly logoDarkUrl: PickedPicture
  readonly faviconUrl: PickedPicture
  /** One origin a line. */
  readonly embedOrigins: string
  readonly customCss: string
}

const stored = (url: string | null): PickedPicture => (url === null ? null : { url, file: null })

export function draftOf(theme: OwnTheme): ThemeDraft {
  const { accent, background, foreground, embedOrigins, customCss, logoLightUrl, logoDarkUrl, faviconUrl } = theme
  const { radius, density, fontStack, titlePlacement, labelPlacement, labelAlign, elevation, hideWatermark } = theme
  const { colorScheme, motion, shareResults, embedStorage } = theme
  return {
    radius,
    density,
    fontStack,
    titlePlacement,
    labelPlacement,
    labelAlign,
    elevation,
    hideWatermark,
    colorScheme,
    motion,
    shareResults,
    embedStorage,
    accent: accent ?? '',
    background: background ?? '',
    foreground: foreground ?? '',
    logoLightUrl: stored(logoLightUrl),
    logoDarkUrl: stored(logoDarkUrl),
    faviconUrl: stored(faviconUrl),
    embedOrigins: embedOrigins.join('\n'),
    customCss: customCss ?? '',
  }
}

export const PRESETS = Object.keys(themePresets) as (keyof typeof themePresets)[]

const COLOR = /^#[0-9a-f]{6}$/

/** The colour in the format of the API; null for none, undefined while it is incomplete. */
export function colorOf(typed: string): string | null | undefined {
  const color = typed.trim().toLowerCase()
  if (color === '') return null
  return COLOR.test(color) ? color : undefined
}

const originsOf = (typed: string): string[] => [...new Set(typed.split(/\s+/).filter(Boolean))]

export interface FieldsProps {
  readonly draft: ThemeDraft
  readonly errors: FieldErrors
  readonly uploads: Uploads<AssetName>
  readonly change: (changed: Partial<ThemeDraft>) => void
}

/** Client-side validation errors, keyed by the API's field paths. */
export const problemsOf = (draft: ThemeDraft): FieldErrors =>
  Object.fromEntries(
    COLORS.filter((name) => colorOf(draft[name]) === undefined).map((name) => [name, formWords().look.hexWrong]),
  )

/**
 * Every field of the draft but pictures that wait for their upload. An unfinished colour is left out, and shown as
 * before. A new field of a theme does not compile until the form has it.
 */
function fieldsOf(draft: ThemeDraft): { readonly [Name in keyof Required<ThemeUpdate>]: ThemeUpdate[Name] } {
  const { logoLightUrl, logoDarkUrl, faviconUrl, embedOrigins, customCss, accent, background, foreground, ...rest } =
    draft
  const written = (asset: PickedPicture) => (asset?.file ? undefined : (asset?.url ?? null))
  return {
    ...rest,
    accent: colorOf(accent),
    background: colorOf(background),
    foreground: colorOf(foreground),
    logoLightUrl: written(logoLightUrl),
    logoDarkUrl: written(logoDarkUrl),
    faviconUrl: written(faviconUrl),
    embedOrigins: originsOf(embedOrigins),
    customCss: customCss.trim() === '' ? null : customCss,
  }
}

/** Only the changed fields: the service does not read an unchanged stylesheet again. */
export function updateBody(draft: ThemeDraft, before: OwnTheme): ThemeUpdate {
  const entries = Object.entries(fieldsOf(draft)).filter(
    ([name, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  )
  return Object.fromEntries(entries) as ThemeUpdate
}

/** Null sets a field to its default. */
export const ALL_DEFAULTS: ThemeUpdate = Object.fromEntries(
  [
    ...Object.keys(CHOICES),
    ...Object.keys(BEHAVIOURS),
    ...COLORS,
    ...ASSETS,
    'hideWatermark',
    'embedOrigins',
    'customCss',
  ].map((name) => [name, null] as const),
)

/** The theme of the draft, to be shown. */
export function shownTheme(draft: ThemeDraft, before: OwnTheme): OwnTheme {
  const { logoLightUrl, logoDarkUrl, faviconUrl } = draft
  const known = Object.fromEntries(Object.entries(fieldsOf(draft)).filter(([, value]) => value !== undefined))
  return {
    ...before,
    ...known,
    logoLightUrl: addressOf(logoLightUrl, 'logoLightUrl'),
    logoDarkUrl: addressOf(logoDarkUrl, 'logoDarkUrl'),
    faviconUrl: addressOf(faviconUrl, 'faviconUrl'),
  }
}

/** A picture that is not uploaded yet has an address which the renderer refuses: this one stands for it. */
export const standFor = (name: AssetName): string => `https://preview.invalid/${name}`

const addressOf = (asset: PickedPicture, name: AssetName): string | null =>
  asset?.file ? standFor(name) : (asset?.url ?? null)
