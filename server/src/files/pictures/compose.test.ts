import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paint } from '../../../test/pictures.ts'
import { composePicture, type Part } from './compose.ts'
import { photoFor } from './photo.ts'
import { readPixels } from './png.ts'

type Named = 'red' | 'green' | 'blue' | 'clear'

function nameOf([red = 0, green = 0, blue = 0, alpha = 0]: Uint8Array): Named {
  if (alpha < 128) return 'clear'
  const most = Math.max(red, green, blue)
  if (most === red) return 'red'
  return most === green ? 'green' : 'blue'
}

/** Three stripes side by side, or one below the other. */
const stripes = (width: number, height: number) =>
  paint({ width, height }, (x, y) => {
    const at = Math.floor((3 * Math.max(width > height ? x : y, 0)) / Math.max(width, height))
    return (
      (
        [
          [230, 20, 20],
          [20, 200, 20],
          [20, 20, 230],
        ] as const
      )[at] ?? [0, 0, 0]
    )
  })

test('each picture fills its half around its focal point, or stands in it whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compose-'))
  try {
    const [wide, tall, to] = [join(folder, 'wide.png'), join(folder, 'tall.png'), join(folder, 'to.webp')]
    await Bun.write(wide, stripes(300, 100))
    await Bun.write(tall, stripes(100, 300))
    const colors = async (left: Part, right: Part, points: readonly (readonly [number, number])[]) => {
      expect(await composePicture({ left, right, to })).toMatchObject({ width: 200, height: 100 })
      const { width, rgba } = readPixels(await new Bun.Image(to).png({ compressionLevel: 0 }).bytes())
      return points.map(([x, y]) => nameOf(rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)))
    }
    const cover = (path: string, focusX: number, focusY: number): Part => ({ path, fit: 'cover', focusX, focusY })
    const middles = [
      [50, 50],
      [150, 50],
    ] as const
    expect(await colors(cover(wide, 0, 0.5), cover(tall, 0.5, 1), middles)).toEqual(['red', 'blue'])
    expect(await colors(cover(wide, 0.5, 0), cover(tall, 1, 0.5), middles)).toEqual(['green', 'green'])
    expect(await colors(cover(wide, 1, 1), cover(tall, 0, 0), middles)).toEqual(['blue', 'red'])
    const whole = (path: string): Part => ({ path, fit: 'contain', focusX: 0, focusY: 0 })
    const around = [
      [50, 10],
      [10, 50],
      [90, 50],
      [50, 90],
      [110, 50],
      [150, 10],
      [150, 90],
      [190, 50],
    ] as const
    expect(await colors(whole(wide), whole(tall), around)).toEqual([
      'clear',
      'red',
      'blue',
      'clear',
      'clear',
      'red',
      'blue',
      'clear',
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a photo tells its size, and whether its visible parts are light or dark', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'photo-'))
  try {
    const toneOf = async (red: number, alpha: number) => {
      const path = join(folder, 'x.png')
      const isInside = (x: number) => x > 20
      await Bun.write(
        path,
        paint({ width: 60, height: 40 }, (x) => [red, red, red, isInside(x) ? 255 : alpha]),
      )
      return photoFor({ path, box: { width: 30, height: 10 } })
    }
    expect(await toneOf(255, 255)).toMatchObject({ width: 30, height: 20, tone: 'opaque' })
    expect((await toneOf(255, 0)).tone).toBe('light')
    expect((await toneOf(10, 0)).tone).toBe('dark')
  } finally {
    await rm(folder, { recursive: true })
  }
})
