import { contrast, isDark } from '../../../../embed/src/theme/colors.ts'
import { type Colors, paletteOf, type Scheme } from '../../../../embed/src/theme/palette.ts'

/** WCAG 2.2: text, and parts such as buttons. */
const NEEDED = { foreground: 4.5, accent: 3 } as const

interface ContrastWarning {
  /** A text is shown in another colour; an accent stays, with an outline. */
  readonly name: 'foreground' | 'accent_light' | 'accent_dark'
  /** The contrast ratio of the colour and its background. */
  readonly ratio: number
  readonly needed: number
  /** The colour of the text, or of the outline. */
  readonly shown: string
}

/** The scheme for which the brand chose its colours: polls make those of the other one. */
export const ownScheme = ({ background }: Pick<Colors, 'background'>): Scheme =>
  background !== null && isDark(background) ? 'dark' : 'light'

/** Colours that could not be read on the background that the brand chose, with the remedy of polls. */
export function contrastWarnings(colors: Colors): ContrastWarning[] {
  const { card, choice, text, edge } = paletteOf(colors, ownScheme(colors))
  return [...ofText(colors.foreground, { text, grounds: [card, choice] }), ...ofAccent(colors.accent, { card, edge })]
}

/** Text stands on the card and on the answers. */
function ofText(
  color: string | null,
  { text, grounds }: { readonly text: string; readonly grounds: readonly string[] },
): ContrastWarning[] {
  if (color === null || color === text) return []
  const ratio = Math.min(...grounds.map((ground) => contrast(color, ground)))
  return [{ name: 'foreground', ratio, needed: NEEDED.foreground, shown: text }]
}

function ofAccent(
  color: string | null,
  { card, edge: shown }: { readonly card: string; readonly edge: string },
): ContrastWarning[] {
  if (color === null || shown === color) return []
  const name = isDark(card) ? 'accent_dark' : 'accent_light'
  return [{ name, ratio: contrast(color, card), needed: NEEDED.accent, shown }]
}
