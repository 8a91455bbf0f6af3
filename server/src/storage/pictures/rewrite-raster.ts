import type { ContentType } from '../file-keys.ts'
import { away } from '../file-store.ts'
import type { Container, ReadContainer } from './container.ts'
import { type Decoding, imageErrorOf, MOST_PIXELS, writeImage } from './decoding.ts'
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
  readonly decoding: Decoding
  /** May be written over. */
  readonly from: string
  readonly to: string
  readonly type: Type
  /** Of whoever waits for it: nothing is begun for somebody who has left. */
  readonly signal?: AbortSignal
}

export type RasterType = Exclude<ContentType, 'image/svg+xml'>

const MOST_A_SIDE = 8_192
/** Larger ones would take libwebp ten seconds and half a gigabyte: they become lossy. */
const MOST_LOSSLESS_PIXELS = 2_000_000
const QUALITY = 90

const readers: Record<RasterType, ReadContainer> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

/** Decodes all of it and encodes it anew: what is left is the picture alone, upright, without its metadata. */
export const rewriteRaster = ({ decoding, from, to, type, signal }: Rewriting<RasterType>): Promise<Written> =>
  decoding.run(async () => {
    signal?.throwIfAborted()
    const bytes = await decoding.inbox.read(from)
    const container = checkContainer(readers[type](bytes))
    const needed = type === 'image/png' ? neededOf(bytes) : bytes
    if (needed.length < bytes.length) await Bun.write(from, needed).catch(away)
    const image = encoder(from, type, container)
    try {
      const byteSize = await writeImage(image, to)
      return { byteSize, width: image.width, height: image.height }
    } catch (error) {
      if (imageErrorOf(error) === 'ERR_IMAGE_DECODE_FAILED') throw new PictureRefused('damaged')
      throw error
    }
  })

/** From the header alone: a few bytes can claim more pixels than there is memory. */
function checkContainer(container: ReturnType<ReadContainer>): Container {
  if (container === null) throw new PictureRefused('wrong_type')
  if (container === 'damaged') throw new PictureRefused('damaged')
  const { width, height, isAnimated } = container
  if (isAnimated) throw new PictureRefused('animated')
  if (width === 0 || height === 0) throw new PictureRefused('damaged')
  if (Math.max(width, height) > MOST_A_SIDE || width * height > MOST_PIXELS) throw new PictureRefused('too_large')
  return container
}

function encoder(path: string, type: RasterType, { width, height, isLossless }: Container): Bun.Image {
  const image = new Bun.Image(path, { maxPixels: MOST_PIXELS })
  if (type === 'image/png') return image.png()
  if (type === 'image/jpeg') return image.jpeg({ quality: QUALITY })
  return image.webp(isLossless && width * height <= MOST_LOSSLESS_PIXELS ? { lossless: true } : { quality: QUALITY })
}
