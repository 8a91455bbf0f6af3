import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, type Place, serve, tossup, tossupJson } from './command.ts'
import { S3StandIn } from './s3-stand-in.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

interface Moved {
  copied: number
  alreadyThere: number
  missing: string[]
  failed: object[]
}

let place: Place
let s3: S3StandIn
beforeAll(async () => {
  place = await newPlace('sqlite')
  s3 = new S3StandIn()
  const server = await serve({ ...place.settings, DEMO: 'true', LOG_LEVEL: 'error' })
  server.kill('SIGTERM')
  await server.ended
})
afterAll(async () => {
  await s3.stop()
  await place.clear()
})

test('pictures move to a bucket and back, byte for byte; a second run copies only what is missing or damaged', async () => {
  const folder = join(place.dataDir, 'files')
  const keys = readdirSync(folder)
    .filter((name) => name.endsWith('.webp'))
    .sort()
  const move = (settings: Record<string, string>, ...words: string[]) =>
    tossupJson<Moved>(['storage', 'move', ...words], { ...place.settings, ...settings })
  const url = s3.url({ folder: 'moved' })
  expect(await move({}, '--to', url)).toEqual({ copied: keys.length, alreadyThere: 0, missing: [], failed: [] })
  for (const key of keys) {
    const stored = s3.objects.get(`moved/${key}`)
    expect(Buffer.compare(stored?.bytes ?? new Uint8Array(), await Bun.file(join(folder, key)).bytes())).toBe(0)
  }

  const [damaged = '', lost = ''] = keys
  s3.objects.set(`moved/${damaged}`, { bytes: new Uint8Array(9), headers: {} })
  s3.objects.delete(`moved/${lost}`)
  expect(await move({ S3_URL: url }, '--to', url)).toMatchObject({ copied: 2, alreadyThere: keys.length - 2 })
  expect(await tossupJson(['verify'], { ...place.settings, S3_URL: url })).toMatchObject({ isSound: true })

  renameSync(folder, `${folder}-before`)
  expect(await move({ S3_URL: url }, '--to', 'disk')).toMatchObject({ copied: keys.length })
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith('.webp'))
      .sort(),
  ).toEqual(keys)
  expect(await move({}, '--to', 'disk', '--from', url)).toMatchObject({ copied: 0, alreadyThere: keys.length })
})

test('says what cannot be moved, and which usage is wrong', async () => {
  const run = (...words: string[]) => tossup(['storage', 'move', ...words], place.settings)
  const url = s3.url({ folder: 'elsewhere' })
  const [key = ''] = readdirSync(join(place.dataDir, 'files')).filter((name) => name.endsWith('.webp'))
  const path = join(place.dataDir, 'files', key)
  renameSync(path, `${path}.away`)
  expect(await run('--to', url)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`in neither place, such as ${key}`),
  })
  renameSync(`${path}.away`, path)
  expect(await run('--to', s3.url({ secret: 'wrong' }))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SignatureDoesNotMatch'),
  })
  expect(await run('--to', 'disk')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/name the bucket with --from.*Usage: /),
  })
  expect(await run('--to', 'ftp://x')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--to must have the form s3:/),
  })
  expect(await run('--to', 'disk', '--from', 'disk')).toMatchObject({ code: 2 })
})
