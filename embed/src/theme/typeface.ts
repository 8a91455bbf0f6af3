import type { ThemeView } from '../poll-view.ts'

/** The families of each `fontStack`. All but Manrope are fonts of the visitor's system; the host's font is known in its page alone: see dress.ts. */
export const FONT_FAMILIES: Readonly<Record<ThemeView['fontStack'], string>> = {
  SYSTEM: 'system-ui, sans-serif',
  SERIF: 'ui-serif, Georgia, "Times New Roman", serif',
  MONO: 'ui-monospace, Menlo, Consolas, monospace',
  ROUNDED: 'ui-rounded, "SF Pro Rounded", Nunito, Quicksand, system-ui, sans-serif',
  MANROPE: '"Tossup Manrope", "Tossup Manrope Fallback", system-ui, sans-serif',
  INHERIT: 'system-ui, sans-serif',
}

/** With the version of the files, so that the content of an address never changes. */
export const TYPEFACE_VERSION = '5.3.0'

/** The subsets of the typeface, of which a browser loads those whose letters it shows. */
export const TYPEFACE_SUBSETS = {
  'cyrillic-ext': 'U+0460-052F,U+1C80-1C8A,U+20B4,U+2DE0-2DFF,U+A640-A69F,U+FE2E-FE2F',
  cyrillic: 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116',
  greek: 'U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF',
  vietnamese:
    'U+0102-0103,U+0110-0111,U+0128-0129,U+0168-0169,U+01A0-01A1,U+01AF-01B0,U+0300-0301,U+0303-0304,U+0308-0309,U+0323,U+0329,U+1EA0-1EF9,U+20AB',
  'latin-ext':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
} as const

export type TypefaceSubset = keyof typeof TYPEFACE_SUBSETS

export const typefaceAddress = (subset: TypefaceSubset): string =>
  `/embed/fonts/manrope-${TYPEFACE_VERSION}-${subset}.woff2`

/**
 * A font of every system, made as wide and as high as Manrope (ascent 1.066, descent 0.3, 3 % wider letters than Arial), so
 * that no line changes its height, and hardly one its length, when Manrope arrives.
 */
const FALLBACK =
  '@font-face{font-family:"Tossup Manrope Fallback";src:local("Arial"),local("Liberation Sans"),local("Roboto"),local("Helvetica Neue");' +
  'size-adjust:103.19%;ascent-override:103.31%;descent-override:29.07%;line-gap-override:0%}'

/** The faces of Manrope, from the service at an origin. They belong into the document: a shadow root has none. */
export const typefaceStyles = (origin: string): string =>
  FALLBACK +
  (Object.keys(TYPEFACE_SUBSETS) as TypefaceSubset[])
    .map(
      (subset) =>
        `@font-face{font-family:"Tossup Manrope";font-weight:200 800;font-display:swap;src:url(${origin}${typefaceAddress(subset)}) format("woff2");unicode-range:${TYPEFACE_SUBSETS[subset]}}`,
    )
    .join('')
