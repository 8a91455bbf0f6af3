import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import type { ContentType } from '../src/files/file-keys.ts'
import { writePixels } from '../src/files/pictures/png.ts'

export interface Sample {
  readonly name: string
  readonly type: ContentType
  readonly bytes: Uint8Array
}

/** Pictures of 48 × 32 pixels from other programs: cjpeg, cwebp, img2webp and ImageMagick. */
export const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`pictures/${name}`, import.meta.url)))

export const typeOf = (name: string): ContentType => {
  if (name.endsWith('.svg')) return 'image/svg+xml'
  if (name.endsWith('.jpg')) return 'image/jpeg'
  return name.endsWith('.png') ? 'image/png' : 'image/webp'
}

type Colour = readonly [red: number, green: number, blue: number, alpha?: number]

/** A PNG of one colour, or with the pixels of `colourAt`. */
export function paint(
  { width, height }: { width: number; height: number },
  colourAt: Colour | ((x: number, y: number) => Colour) = [30, 120, 200],
): Uint8Array {
  const rgba = new Uint8Array(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue, alpha = 255] =
      typeof colourAt === 'function' ? colourAt(i % width, Math.floor(i / width)) : colourAt
    rgba.set([red, green, blue, alpha], i * 4)
  }
  return writePixels({ width, height, rgba })
}

export const jpegOf = (png: Uint8Array, quality = 90): Promise<Uint8Array> =>
  new Bun.Image(png).jpeg({ quality }).bytes()

export const webpOf = (png: Uint8Array, options: { quality?: number; lossless?: boolean } = {}): Promise<Uint8Array> =>
  new Bun.Image(png).webp(options).bytes()

/** Like a photo: noise over soft shapes, so that it compresses as badly as a real one. */
export const photo = (width: number, height: number, grain = 30): Uint8Array =>
  paint({ width, height }, (x, y) => {
    const noise = Math.random() * grain
    return [Math.sin(x / 90) * 90 + 120 + noise, Math.cos(y / 70) * 90 + 120 + noise, ((x + y) / 20 + noise) & 255]
  })

export const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function pngChunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

export function pngHeader(width: number, height: number, { depth = 8, colour = 0 } = {}): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour], 8)
  return pngChunk('IHDR', data)
}

const END = pngChunk('IEND', Buffer.alloc(0))

/** Well-formed to its last byte, and only a few KB at any claimed size. */
export const emptyPng = (width: number, height: number, rowBytes = Math.ceil(width / 8)): Uint8Array =>
  Buffer.concat([
    SIGNATURE,
    pngHeader(width, height, { depth: 1 }),
    pngChunk('IDAT', deflateSync(Buffer.alloc((rowBytes + 1) * height), { level: 9 })),
    END,
  ])

/** Inserts a chunk before the pixel data. */
export const withChunk = (png: Uint8Array, chunk: Uint8Array): Uint8Array =>
  Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])

export const svg = (inside: string, attributes = 'viewBox="0 0 24 24"'): Uint8Array =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`)

/** Inserts an application segment after the start of a JPEG, where cameras store the location. */
export function withExif(jpeg: Uint8Array, orientation: number, note = 'taken at home'): Uint8Array {
  const text = Buffer.from(`${note}\0`)
  const tiff = Buffer.alloc(38)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  tiff.writeUInt16BE(0x0112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  tiff.writeUInt16BE(0x010e, 22)
  tiff.writeUInt16BE(2, 24)
  tiff.writeUInt32BE(text.length, 26)
  tiff.writeUInt32BE(38, 30)
  const data = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, text])
  return withSegment(jpeg, 0xe1, data)
}

export function withSegment(jpeg: Uint8Array, marker: number, data: Uint8Array): Uint8Array {
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff])
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)])
}

const LARGEST_SEGMENT = 65_000

/** Padded to an exact size, as cameras add notes and previews. */
export function filledUp(jpeg: Uint8Array, size: number): Uint8Array {
  let bytes = jpeg
  while (bytes.length < size) {
    const missing = size - bytes.length - 4
    bytes = withSegment(bytes, 0xef, new Uint8Array(missing <= LARGEST_SEGMENT ? missing : LARGEST_SEGMENT / 2))
  }
  return bytes
}
