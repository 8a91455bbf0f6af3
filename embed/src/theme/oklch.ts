/** `#rrggbb`, in lower case. */
export type Color = string

/** Lightness from 0 to 1, chroma from 0 to some 0.32, and the hue in radians. */
export interface Oklch {
  readonly l: number
  readonly c: number
  readonly h: number
}

const toLinear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const toGamma = (part: number): number => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055)

/** The matrices of Björn Ottosson's Oklab, as CSS Color 4 has them. */
export function oklchOf(color: Color): Oklch {
  const value = Number.parseInt(color.slice(1), 16)
  const [red = 0, green = 0, blue = 0] = [value >> 16, (value >> 8) & 255, value & 255].map((part) =>
    toLinear(part / 255),
  )
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short
  const b = 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short
  return {
    l: 0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    c: Math.hypot(a, b),
    h: Math.atan2(b, a),
  }
}

function channelsOf({ l, c, h }: Oklch): number[] {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]
}

const SLACK = 0.0005
const HALVINGS = 12

/** The nearest colour of a screen: where there is none so strong, a paler one of the same lightness and hue. */
export function colorOf({ l, c, h }: Oklch): Color {
  const lightness = Math.min(1, Math.max(0, l))
  const isShown = (chroma: number) =>
    channelsOf({ l: lightness, c: chroma, h }).every((part) => part >= -SLACK && part <= 1 + SLACK)
  let [low, high] = isShown(c) ? [c, c] : [0, c]
  for (let i = 0; i < HALVINGS && low < high; i++) {
    const middle = (low + high) / 2
    if (isShown(middle)) low = middle
    else high = middle
  }
  const hex = channelsOf({ l: lightness, c: low, h }).map((part) =>
    Math.round(255 * toGamma(Math.min(1, Math.max(0, part))))
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${hex.join('')}`
}

/** `amount` of `other` in `color`, from 0 to 1, by what the eye sees as even steps. */
export function blend(color: Color, other: Color, amount: number): Color {
  const [from, to] = [oklchOf(color), oklchOf(other)]
  const at = (one: number, two: number) => one + (two - one) * amount
  const a = at(from.c * Math.cos(from.h), to.c * Math.cos(to.h))
  const b = at(from.c * Math.sin(from.h), to.c * Math.sin(to.h))
  return colorOf({ l: at(from.l, to.l), c: Math.hypot(a, b), h: Math.atan2(b, a) })
}
