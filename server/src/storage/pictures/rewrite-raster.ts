import type { ContentType } from '../file-keys.ts'
import { throwStoreAway } from '../file-store.ts'
import type { Container, ReadContainer } from './container.ts'
import { imageErrorOf, MOST_PIXELS, writeImage } from './image.ts'
import { Inbox } from './inbox.ts'
import { readJpeg } from './jpeg.ts'
import { PictureRefused } from './picture-refused.ts'
import { neededOf, readPng } from './png.ts'
import { readWebp } from './webp.ts'

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

export type RasterType = Exclude<ContentType, 'image/svg+xml'>

const MOST_A_SIDE = 8_192
/** Larger pictures become lossy: libwebp would need ten seconds and half a gigabyte to encode them losslessly. */
const MOST_LOSSLESS_PIXELS = 2_000_000
/** Tried in turn while the result is larger than the upload. A picture that was saved at a low quality loses little more. */
const QUALITIES = [90, 80, 70] as const

const inbox = new Inbox()

const readers: Record<RasterType, ReadContainer> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

/** Decodes and encodes the whole picture: the result is upright and has no metadata. */
export async function rewriteRaster({ from, to, type }: Rewriting<RasterType>): Promise<Written> {
  const bytes = await inbox.read(from)
  const container = checkContainer(readers[type](bytes))
  const needed = type === 'image/png' ? neededOf(bytes) : bytes
  if (needed.length < bytes.length) await Bun.write(from, needed).catch(throwStoreAway)
  try {
    return await writeSmall(encoders(type, container), { from, to, most: bytes.length })
  } catch (error) {
    if (imageErrorOf(error) === 'ERR_IMAGE_DECODE_FAILED') throw new PictureRefused('damaged')
    throw error
  }
}

/** Checked from the header, before decoding: a few bytes can claim more pixels than fit into memory. */
function checkContainer(container: ReturnType<ReadContainer>): Container {
  if (container === null) throw new PictureRefused('wrong_type')
  if (container === 'damaged') throw new PictureRefused('damaged')
  const { width, height, isAnimated } = container
  if (isAnimated) throw new PictureRefused('animated')
  if (width === 0 || height === 0) throw new PictureRefused('damaged')
  if (Math.max(width, height) > MOST_A_SIDE || width * height > MOST_PIXELS) throw new PictureRefused('too_large')
  return container
}

type Encode = (image: Bun.Image) => Bun.Image

/** From the best result to the smallest. A lossless picture stays lossless, even where it gets larger. */
function encoders(type: RasterType, { width, height, isLossless }: Container): readonly Encode[] {
  if (type === 'image/png') return [(image) => image.png(), (image) => image.png({ compressionLevel: 9 })]
  if (type === 'image/jpeg') return QUALITIES.map((quality) => (image) => image.jpeg({ quality }))
  if (isLossless && width * height <= MOST_LOSSLESS_PIXELS) return [(image) => image.webp({ lossless: true })]
  return QUALITIES.map((quality) => (image) => image.webp({ quality }))
}

interface Sized {
  readonly from: string
  readonly to: string
  readonly most: number
}

/** Writes the first result that is no larger than the upload, else the last one. */
async function writeSmall(each: readonly Encode[], { from, to, most }: Sized): Promise<Written> {
  for (const [i, encode] of each.entries()) {
    const image = encode(new Bun.Image(from, { maxPixels: MOST_PIXELS }))
    const byteSize = await writeImage(image, to)
    if (byteSize <= most || i === each.length - 1) return { byteSize, width: image.width, height: image.height }
  }
  throw new Error('no encoder')
}
