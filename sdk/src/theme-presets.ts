import type { ThemeUpdate } from './openapi.ts'

/** The fields that make the look of a theme. */
export type ThemePreset = Required<
  Pick<
    ThemeUpdate,
    | 'radius'
    | 'density'
    | 'fontStack'
    | 'titlePlacement'
    | 'labelPlacement'
    | 'labelAlign'
    | 'elevation'
    | 'accent'
    | 'background'
    | 'foreground'
  >
>

const shape = { density: 'COMFORTABLE', titlePlacement: 'ABOVE', labelPlacement: 'BELOW' } as const

/**
 * Looks to begin with: `await tossup.updateTheme(themePresets.paper)`. Each sets every field of a look, so that
 * nothing remains of the one before; logos, origins and stylesheets stay as they are.
 */
export const themePresets = {
  /** White, blue and round, in Manrope: for products. */
  clear: {
    ...shape,
    radius: 'LG',
    fontStack: 'MANROPE',
    labelAlign: 'START',
    elevation: 'LOW',
    accent: '#2455e6',
    background: '#ffffff',
    foreground: '#131a2b',
  },
  /** Ink on warm paper, in a serif: for newspapers and books. */
  paper: {
    ...shape,
    radius: 'SM',
    fontStack: 'SERIF',
    labelAlign: 'START',
    elevation: 'NONE',
    accent: '#9a3412',
    background: '#fbf7ef',
    foreground: '#29221b',
  },
  /** A deep blue night with a mint light, in Manrope: for music, games and sport. */
  midnight: {
    ...shape,
    radius: 'MD',
    fontStack: 'MANROPE',
    labelAlign: 'START',
    elevation: 'HIGH',
    accent: '#5eead4',
    background: '#0d1324',
    foreground: '#e6ebf7',
  },
  /** Pink, round and loud, in rounded letters: for food, fashion and fun. */
  pop: {
    ...shape,
    radius: 'FULL',
    fontStack: 'ROUNDED',
    labelAlign: 'START',
    elevation: 'HIGH',
    accent: '#d6156c',
    background: '#fff4f8',
    foreground: '#3a0a22',
  },
} as const satisfies Readonly<Record<string, ThemePreset>>
