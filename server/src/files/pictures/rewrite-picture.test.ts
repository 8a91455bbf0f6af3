import { afterAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import {
  fixture,
  jpegOf,
  paint,
  pngChunk,
  typeOf,
  webpOf,
  withChunk,
  withExif,
  withSegment,
} from '../../../test/pictures.ts'
import type { ContentType } from '../file-keys.ts'
import { PictureRefused } from './container.ts'
import { readPixels } from './png.ts'
import { rewritePicture } from './rewrite-picture.ts'

// Runs in a process of its own: it measures the memory of it.

const folder = await mkdtemp(join(tmpdir(), 'tossup-test-'))
afterAll(() => rm(folder, { recursive: true }))

/** From bytes to bytes; the service itself goes from file to file. */
async function rewrite(bytes: Uint8Array, type: ContentType) {
  const [from, to] = [join(folder, randomUUID()), join(folder, randomUUID())]
  await Bun.write(from, bytes)
  const { byteSize, ...size } = await rewritePicture({ from, to, type })
  const kept = await Bun.file(to).bytes()
  expect(kept.length).toBe(byteSize)
  return { bytes: kept, ...size }
}

const names = readdirSync(new URL('../../../test/pictures', import.meta.url)).filter((name) => name !== 'animated.webp')
const rasters = names.filter((name) => !name.endsWith('.svg'))
const drawings = names.filter((name) => name.endsWith('.svg'))

const pixelsOf = async (bytes: Uint8Array) =>
  readPixels(await new Bun.Image(bytes).png({ compressionLevel: 0 }).bytes())

/** The difference between two pictures: the mean over all bytes of all pixels. */
async function distance(left: Uint8Array, right: Uint8Array): Promise<number> {
  const [a, b] = [(await pixelsOf(left)).rgba, (await pixelsOf(right)).rgba]
  expect(a.length).toBe(b.length)
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length
}

describe('an ordinary picture', () => {
  test.each(rasters)('%s is accepted and looks as before', async (name) => {
    const bytes = fixture(name)
    const kept = await rewrite(bytes, typeOf(name))
    expect(kept).toMatchObject({ width: 48, height: 32 })
    expect(await new Bun.Image(kept.bytes).metadata()).toMatchObject({ width: 48, height: 32 })
    expect(await distance(bytes, kept.bytes)).toBeLessThan(typeOf(name) === 'image/png' ? 0.01 : 4)
  })

  test('is stored no larger than it came, unless it is lossless', async () => {
    const photo = await new Bun.Image(paint({ width: 640, height: 480 })).jpeg({ quality: 95 }).bytes()
    for (const quality of [75, 85, 95]) {
      const saved = { jpeg: await new Bun.Image(photo).jpeg({ quality }).bytes() }
      const webp = await new Bun.Image(photo).webp({ quality }).bytes()
      for (const [bytes, type] of [
        [saved.jpeg, 'image/jpeg'],
        [webp, 'image/webp'],
      ] as const) {
        const kept = await rewrite(bytes, type)
        expect(`${type} ${quality} ${kept.bytes.length <= bytes.length}`).toBe(`${type} ${quality} true`)
        expect(await distance(bytes, kept.bytes)).toBeLessThan(4)
      }
    }
  })

  test('made lossless stays lossless', async () => {
    const kept = await rewrite(fixture('lossless.webp'), 'image/webp')
    expect(await distance(fixture('lossless.webp'), kept.bytes)).toBe(0)
  })

  test.each(['metadata.png', 'metadata.webp'])('%s loses its metadata', async (name) => {
    const before = Buffer.from(fixture(name))
    const after = Buffer.from((await rewrite(before, typeOf(name))).bytes)
    const notes = ['someone', 'somebody', 'a comment', 'tEXt', 'XMP', 'date:'].filter((note) => before.includes(note))
    expect(notes.length).toBeGreaterThan(0)
    for (const note of notes) expect(after.includes(note)).toBe(false)
  })

  test('loses comments and trailing bytes', async () => {
    const png = paint({ width: 9, height: 9 })
    const jpeg = withSegment(await jpegOf(png), 0xfe, Buffer.from('a comment'))
    for (const [bytes, type] of [
      [png, 'image/png'],
      [jpeg, 'image/jpeg'],
      [await webpOf(png), 'image/webp'],
    ] as const) {
      const kept = await rewrite(Buffer.concat([bytes, Buffer.from('<script>alert(1)</script>')]), type)
      expect(Buffer.from(kept.bytes).toString('latin1')).not.toMatch(/script|a comment/)
    }
  })

  test.each(['zTXt', 'iTXt', 'tEXt', 'unKn'])(
    'loses a %s that would fill the memory, without reading it',
    async (name) => {
      const head = name === 'iTXt' ? 'Comment\0\x01\0\0\0' : 'Comment\0\0'
      const note = pngChunk(name, Buffer.concat([Buffer.from(head, 'latin1'), deflateSync(Buffer.alloc(8_000_000))]))
      const png = paint({ width: 9, height: 9 })
      const bytes = withChunk(png, Buffer.concat(Array.from({ length: 200 }, () => note)))
      const before = process.memoryUsage.rss()
      const usage = process.cpuUsage()
      const kept = await rewrite(bytes, 'image/png')
      expect(kept.bytes).toEqual((await rewrite(png, 'image/png')).bytes)
      const { user, system } = process.cpuUsage(usage)
      expect((user + system) / 1_000).toBeLessThan(1_000)
      expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000)
    },
  )

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('with the Exif orientation %d is turned upright', async (orientation) => {
    const flag = paint({ width: 40, height: 20 }, (x, y) => (x < 8 && y < 8 ? [255, 0, 0] : [0, 0, 255]))
    const kept = await rewrite(withExif(await jpegOf(flag, 100), orientation), 'image/jpeg')
    const { width, height, rgba } = await pixelsOf(kept.bytes)
    expect([width, height]).toEqual(orientation > 4 ? [20, 40] : [40, 20])
    const isRed = (x: number, y: number) => (rgba[(y * width + x) * 4] ?? 0) > 128
    const corners = [isRed(2, 2), isRed(width - 3, 2), isRed(width - 3, height - 3), isRed(2, height - 3)]
    // The corner, clockwise from the top left, in which the sensor's top left pixel is displayed.
    const place = [0, 1, 2, 3, 0, 1, 2, 3][orientation - 1]
    expect(corners).toEqual([0, 1, 2, 3].map((corner) => corner === place))
  })

  test('of the largest size is accepted', async () => {
    const kept = await rewrite(paint({ width: 8_192, height: 12 }), 'image/png')
    expect(kept).toMatchObject({ width: 8_192, height: 12 })
  })
})

describe('an ordinary drawing', () => {
  test.each(drawings)('%s is stored as it is', async (name) => {
    const kept = await rewrite(fixture(name), 'image/svg+xml')
    expect(kept.width / kept.height).toBe(1.5)
    expect(Buffer.from(kept.bytes).toString()).toBe(Buffer.from(fixture(name)).toString())
  })
})

describe('anything else', () => {
  const spoil = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 6 })

  test.each(names)('%s with any damage is a valid picture or is refused', async (name) => {
    const whole = fixture(name)
    await fc.assert(
      fc.asyncProperty(spoil, fc.double({ min: 0.2, max: 1, noNaN: true }), async (changes, part) => {
        const bytes = Uint8Array.from(whole.subarray(0, Math.ceil(whole.length * part)))
        for (const [place, value] of changes) bytes[Math.floor(place * (bytes.length - 1))] = value
        const kept = await rewrite(bytes, typeOf(name)).catch((error) => error)
        if (kept instanceof PictureRefused) return
        expect(kept.bytes.length).toBeGreaterThan(0)
        expect(kept.width * kept.height).toBeLessThanOrEqual(25_000_000)
      }),
      { numRuns: 60 },
    )
  })
})
