import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { type CheckContainer, chunkName, hasText, viewOf } from './container.ts'

const SIGNATURE = '\x89PNG\r\n\x1a\n'
const AROUND_DATA = 12
/** The chunks that affect pixels, colours or orientation. */
const NEEDED = new Set('IHDR PLTE tRNS cHRM gAMA iCCP sBIT sRGB cICP eXIf IDAT IEND'.split(' '))
/** The inflated size of a colour profile. Profiles of screens have a few thousand bytes. */
const MOST_PROFILE_BYTES = 4 * 1024 * 1024
/** Five megabytes in chunks of 8 KB, as most programs write them, are 640 chunks. */
const MOST_CHUNKS = 10_000

interface Chunk {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Ends after IEND, at the first truncated chunk, or when there are too many. */
function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = viewOf(bytes)
  let chunks = 0
  for (let start = SIGNATURE.length; start + AROUND_DATA <= bytes.length && chunks < MOST_CHUNKS; chunks++) {
    const end = start + AROUND_DATA + view.getUint32(start)
    if (end > bytes.length || view.getUint32(end - 4) !== crc32(bytes.subarray(start + 4, end - 4))) return
    const name = chunkName(bytes, start + 4)
    yield { name, start, end }
    if (name === 'IEND') return
    start = end
  }
}

/** Requires every chunk to be whole and in order up to IEND, because a decoder would accept less. */
export const checkPng: CheckContainer = (bytes) => {
  if (!hasText(bytes, SIGNATURE, 0)) return 'wrong_type'
  const chunks = [...chunksOf(bytes)]
  const [profile, ...more] = chunks.filter(({ name }) => name === 'iCCP')
  const isComplete = chunks[0]?.name === 'IHDR' && chunks.at(-1)?.name === 'IEND'
  if (!isComplete || more.length > 0 || (profile && !isBounded(bytes, profile))) return 'damaged'
  return chunks.some(({ name }) => name === 'acTL') ? 'animated' : null
}

/** Uploads keep nothing of EXIF but the orientation, which is in their pixels. */
export const isBarePng = (bytes: Uint8Array): boolean => {
  const chunks = [...chunksOf(bytes)]
  return chunks.at(-1)?.end === bytes.length && chunks.every(({ name }) => NEEDED.has(name) && name !== 'eXIf')
}

/** Inflates the profile, with a limit. It stays in the picture, so a few KB could become gigabytes for each visitor. */
function isBounded(png: Uint8Array, { start, end }: Chunk): boolean {
  const data = png.subarray(start + 8, end - 4)
  try {
    inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MOST_PROFILE_BYTES })
    return true
  } catch {
    return false
  }
}

/**
 * The picture without the chunks that its pixels do not need. A decoder would inflate text chunks, and five megabytes of
 * them can become gigabytes. Works in place: the chunks that are kept move up within the buffer.
 */
export function neededOf(png: Uint8Array): Uint8Array {
  let length = SIGNATURE.length
  for (const { name, start, end } of chunksOf(png)) {
    if (!NEEDED.has(name)) continue
    png.copyWithin(length, start, end)
    length += end - start
  }
  return png.subarray(0, length)
}

/** Rows of red, green, blue and alpha, one byte each. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

const A_PIXEL = 4
const EIGHT_BIT_RGBA = [8, 6, 0, 0, 0]

/** A PNG without filters or compression, because it is decoded again at once. */
export function writePixels({ width, height, rgba }: Pixels): Uint8Array {
  const stride = width * A_PIXEL
  const rows = Buffer.alloc(height * (stride + 1))
  for (let y = 0; y < height; y++) rows.set(rgba.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1)
  return pngOf({ width, height, kind: EIGHT_BIT_RGBA, level: 0 }, rows)
}

interface PngHead {
  readonly width: number
  readonly height: number
  /** Bits of a sample, the kind of colours, and three zeros. */
  readonly kind: readonly number[]
  readonly level: number
}

/** A PNG of these rows, each of which begins with the number of its filter. */
export function pngOf({ width, height, kind, level }: PngHead, rows: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(kind, 8)
  const start = Buffer.from(SIGNATURE, 'latin1')
  const data = deflateSync(rows, { level })
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

/** Reads the PNG that Bun writes without compression: eight bits, RGBA, not interlaced, unfiltered rows. */
export function readPixels(png: Uint8Array): Pixels {
  const view = viewOf(png)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  if (EIGHT_BIT_RGBA.some((value, i) => png[24 + i] !== value)) throw new Error('a PNG of another kind than Bun writes')
  const parts: Uint8Array[] = []
  for (const { name, start, end } of chunksOf(png)) if (name === 'IDAT') parts.push(png.subarray(start + 8, end - 4))
  const rows = inflateSync(Buffer.concat(parts))
  const stride = width * A_PIXEL
  const rgba = new Uint8Array(height * stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    if (rows[start] !== 0) throw new Error('a PNG with filtered rows')
    rgba.set(rows.subarray(start + 1, start + 1 + stride), y * stride)
  }
  return { width, height, rgba }
}
