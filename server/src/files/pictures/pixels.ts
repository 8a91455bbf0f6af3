import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { viewOf } from './container.ts'
import { chunksOf } from './png.ts'

/** Rows of red, green, blue and alpha, one byte each. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const A_PIXEL = 4
const EIGHT_BIT_RGBA = [8, 6, 0, 0, 0]

/** A PNG without filters or compression, because it is decoded again at once. */
export function writePixels({ width, height, rgba }: Pixels): Uint8Array {
  const stride = width * A_PIXEL
  const rows = Buffer.alloc(height * (stride + 1))
  for (let y = 0; y < height; y++) rows.set(rgba.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(EIGHT_BIT_RGBA, 8)
  const data = deflateSync(rows, { level: 0 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
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
