/** `#rrggbb`, in lower case. */
export type Color = string

type Channels = readonly [number, number, number]

const channelsOf = (color: Color): Channels => {
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const toColor = (channels: readonly number[]): Color =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** `amount` of `other` in `color`, from 0 to 1. */
export function mix(color: Color, other: Color, amount: number): Color {
  const target = channelsOf(other)
  return toColor(channelsOf(color).map((channel, i) => channel + ((target[i] ?? 0) - channel) * amount))
}

/** Relative luminance as WCAG 2 defines it. */
export function luminance(color: Color): number {
  const [red, green, blue] = channelsOf(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Channels
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(one: Color, other: Color): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((left, right) => left - right) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, by the higher contrast. */
export const opposite = (color: Color): Color =>
  contrast(color, '#000000') >= contrast(color, '#ffffff') ? '#000000' : '#ffffff'

export const isDark = (color: Color): boolean => opposite(color) === '#ffffff'

const STEPS = 20

/** The colour itself where its contrast is sufficient, else the nearest one towards black or white that is. */
export function readable(color: Color, against: Color, ratio: number): Color {
  const target = opposite(against)
  for (let step = 0; step < STEPS; step++) {
    const candidate = mix(color, target, step / STEPS)
    if (contrast(candidate, against) >= ratio) return candidate
  }
  return target
}
