// files/pictures: decodes pictures and encodes them again; only SVG is stored as it came.
import type { ContentType } from '../file-keys.ts'
import { throwStoreAway } from '../file-store.ts'
import { checkSvg } from './check-svg.ts'
import { type CheckContainer, imageErrorOf, MOST_PIXELS, PictureRefused, writeImage } from './container.ts'
import { checkJpeg, isBareJpeg } from './jpeg.ts'
import { checkPng, isBarePng, neededOf } from './png.ts'
import { checkWebp, isBareWebp, isLosslessWebp } from './webp.ts'

/** A picture that was written to a file. */
export interface Written {
  readonly byteSize: number
  readonly width: number
  readonly height: number
}

export interface Rewriting<Type extends ContentType = ContentType> {
  /** This file may be overwritten. */
  readonly from: string
  readonly to: string
  readonly type: Type
}

type RasterType = Exclude<ContentType, 'image/svg+xml'>

const MOST_A_SIDE = 8_192
/** Larger pictures become lossy: libwebp would need ten seconds and half a gigabyte to encode them losslessly. */
const MOST_LOSSLESS_PIXELS = 2_000_000
/** Tried in turn while the result is larger than the upload. A picture that was saved at a low quality loses little more. */
const QUALITIES = [90, 80, 70] as const

const checks: Record<RasterType, CheckContainer> = {
  'image/png': checkPng,
  'image/jpeg': checkJpeg,
  'image/webp': checkWebp,
}

/** Decodes and encodes the whole picture: the result is upright and has no metadata. */
async function rewriteRaster({ from, to, type }: Rewriting<RasterType>): Promise<Written> {
  const bytes = await Bun.file(from).bytes()
  const fault = checks[type](bytes)
  if (fault) throw new PictureRefused(fault)
  const needed = type === 'image/png' ? neededOf(bytes) : bytes
  if (needed.length < bytes.length) await Bun.write(from, needed).catch(throwStoreAway)
  try {
    const pixels = await pixelsIn(needed)
    const isLossless = type === 'image/webp' && pixels <= MOST_LOSSLESS_PIXELS && isLosslessWebp(bytes)
    return await writeSmall(encoders(type, isLossless), { from, to, most: bytes.length })
  } catch (error) {
    const code = imageErrorOf(error)
    if (code === 'ERR_IMAGE_DECODE_FAILED') throw new PictureRefused('damaged')
    throw code === 'ERR_IMAGE_TOO_MANY_PIXELS' ? new PictureRefused('too_large') : error
  }
}

/** Read from the header, before decoding: a few bytes can claim more pixels than fit into memory. */
async function pixelsIn(bytes: Uint8Array): Promise<number> {
  const { width, height } = await new Bun.Image(bytes, { maxPixels: MOST_PIXELS }).metadata()
  if (Math.max(width, height) > MOST_A_SIDE) throw new PictureRefused('too_large')
  return width * height
}

type Encode = (image: Bun.Image) => Bun.Image

/** From the best result to the smallest. A lossless picture stays lossless, even where it gets larger. */
function encoders(type: RasterType, isLossless: boolean): readonly Encode[] {
  if (type === 'image/png') return [(image) => image.png(), (image) => image.png({ compressionLevel: 9 })]
  if (type === 'image/jpeg') return QUALITIES.map((quality) => (image) => image.jpeg({ quality }))
  if (isLossless) return [(image) => image.webp({ lossless: true })]
  return QUALITIES.map((quality) => (image) => image.webp({ quality }))
}

/** Writes the first result that is no larger than the upload, else the last one. */
async function writeSmall(
  each: readonly Encode[],
  { from, to, most }: { from: string; to: string; most: number },
): Promise<Written> {
  for (const [i, encode] of each.entries()) {
    const image = encode(new Bun.Image(from, { maxPixels: MOST_PIXELS }))
    const byteSize = await writeImage(image, to)
    if (byteSize <= most || i === each.length - 1) return { byteSize, width: image.width, height: image.height }
  }
  throw new Error('no encoder')
}

/** True if the bytes hold a picture, its colours and nothing else: no metadata, and nothing behind its end. */
export function isBarePicture(type: ContentType, bytes: Uint8Array): boolean {
  if (type === 'image/png') return isBarePng(bytes)
  if (type === 'image/jpeg') return isBareJpeg(bytes)
  return type === 'image/webp' && isBareWebp(bytes)
}

/** Writes what may be kept of the bytes of an upload; throws `PictureRefused` where that is nothing. */
export async function rewritePicture({ type, from, to }: Rewriting): Promise<Written> {
  if (type !== 'image/svg+xml') return rewriteRaster({ from, to, type })
  const bytes = await Bun.file(from).bytes()
  const size = checkSvg(bytes)
  return { byteSize: await Bun.write(to, bytes).catch(throwStoreAway), ...size }
}
