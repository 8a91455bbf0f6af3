import { type Box, MOST_PIXELS } from './container.ts'
import { readPixels } from './png.ts'

/** How a picture fills a frame of another shape. */
export interface Placement {
  readonly fit: 'cover' | 'contain'
  /** From 0 to 1, as is `focusY`: how much of what is cut off lies before the frame. */
  readonly focusX: number
  readonly focusY: number
}

/** Where the picture begins, as a share of the spare length; a whole picture is in the middle of its frame. */
export const focusOf = ({ fit, focusX, focusY }: Placement): { readonly x: number; readonly y: number } =>
  fit === 'contain' ? { x: 0.5, y: 0.5 } : { x: focusX, y: focusY }

/** A picture as a data URL: a PNG, because the renderer of cards cannot read WebP. */
export interface Photo extends Box {
  readonly href: string
  /** Whether the visible parts are light or dark, where some are transparent. */
  readonly tone: 'opaque' | 'light' | 'dark'
}

/** Scaled to cover the box, and never enlarged. */
export async function photoFor({ path, box }: { path: string; box: Box }): Promise<Photo> {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  const natural = await image.metadata()
  const scale = Math.min(1, Math.max(box.width / natural.width, box.height / natural.height))
  const scaled = (length: number) => Math.max(1, Math.round(length * scale))
  const [width, height] = [scaled(natural.width), scaled(natural.height)]
  const png = await image.resize(width, height).png({ compressionLevel: 1 }).bytes()
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  return { href, width, height, tone: await toneOf(path) }
}

const SAMPLE = 32
/** Alpha that a scaled edge of an opaque picture keeps. */
const OPAQUE = 250

async function toneOf(path: string): Promise<Photo['tone']> {
  const sample = new Bun.Image(path, { maxPixels: MOST_PIXELS }).resize(SAMPLE, SAMPLE)
  const { rgba } = readPixels(await sample.png({ compressionLevel: 0 }).bytes())
  let [light, weight, clear] = [0, 0, 0]
  for (let i = 0; i < rgba.length; i += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(i, i + 4)
    light += (0.2126 * red + 0.7152 * green + 0.0722 * blue) * alpha
    weight += alpha
    if (alpha < OPAQUE) clear++
  }
  if (clear === 0) return 'opaque'
  return light > 150 * weight ? 'light' : 'dark'
}
