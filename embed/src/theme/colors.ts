import { type Color, colorOf, oklchOf } from './oklch.ts'

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

const STEPS = 50

/** The colour itself where its contrast is sufficient, else the nearest one that is: lighter or darker, of the same hue. */
export const readable = (color: Color, against: Color, ratio: number): Color =>
  readableOn(color, [against], { ratio, target: opposite(against) })

/** The same against several grounds, towards black or white. */
export function readableOn(
  color: Color,
  grounds: readonly Color[],
  { ratio, target }: { readonly ratio: number; readonly target: Color },
): Color {
  const isReadable = (candidate: Color) => grounds.every((ground) => contrast(candidate, ground) >= ratio)
  if (isReadable(color)) return color
  const { l, c, h } = oklchOf(color)
  const end = target === '#ffffff' ? 1 : 0
  for (let step = 1; step < STEPS; step++) {
    const candidate = colorOf({ l: l + ((end - l) * step) / STEPS, c, h })
    if (isReadable(candidate)) return candidate
  }
  return target
}
