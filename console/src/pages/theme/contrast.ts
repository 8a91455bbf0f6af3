import { contrast, isDark } from '../../../../embed/src/theme/colors.ts'
import { type Colors, paletteOf, type Scheme } from '../../../../embed/src/theme/palette.ts'

/** WCAG 2.2: text, and parts such as buttons. */
const NEEDED = { foreground: 4.5, accent: 3 } as const

interface ContrastWarning {
  readonly name: keyof typeof NEEDED
  /** The contrast ratio of the colour and its background. */
  readonly ratio: number
  readonly needed: number
  /** The colour that polls show instead. */
  readonly shown: string
}

/** The scheme for which the brand chose its colours: polls make those of the other one. */
export const ownScheme = ({ background }: Pick<Colors, 'background'>): Scheme =>
  background !== null && isDark(background) ? 'dark' : 'light'

/** The colours that polls change, because they could not be read on the background that the brand chose. */
export function contrastWarnings(colors: Colors): ContrastWarning[] {
  const { card, choice, text, accent } = paletteOf(colors, ownScheme(colors))
  const shown = { foreground: text, accent }
  // Text stands on the card and on the answers.
  const grounds = { foreground: [card, choice], accent: [card] }
  return (['foreground', 'accent'] as const).flatMap((name) => {
    const color = colors[name]
    if (color === null || color === shown[name]) return []
    const ratio = Math.min(...grounds[name].map((ground) => contrast(color, ground)))
    return [{ name, ratio, needed: NEEDED[name], shown: shown[name] }]
  })
}
