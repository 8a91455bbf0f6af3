import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Changes } from '../src/events/changes.ts'
import { makePictures } from '../src/features/polls/make-pictures.ts'
import { keepFile, type PollSlot } from '../src/features/uploads/files.ts'
import { fileKey, variantKey } from '../src/files/file-keys.ts'
import { type FileStore, StoreAway } from '../src/files/file-store.ts'
import { readPixels } from '../src/files/pictures/png.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { jpegOf, paint } from './pictures.ts'
import { ownPoll, patchPoll, problemsOf } from './polls.ts'
import { S3StandIn } from './s3-stand-in.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { pathOf, upload } from './uploads.ts'
import { createWebhook } from './webhooks.ts'

// The worker is slow on a busy machine.
setDefaultTimeout(60_000)

interface Variant {
  url: string
  width: number
  slot: PollSlot
}

interface PicturedPoll extends PollData {
  images: Record<PollSlot, string | null>
  imageVariants: Variant[]
}

const RED = [220, 20, 20] as const
const BLUE = [20, 20, 220] as const

const until = <T>(look: () => Promise<T | null>): Promise<T> => eventually(look, { withinMs: 50_000, everyMs: 20 })

describe.each([...engines])('%s: the variants of a picture', (engine) => {
  const s3 = new S3StandIn()
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // Files in S3, so that a test can remove them; the code under test is the same on disk.
    service = await startTestService(engine, { settings: { S3_URL: s3.url(), LOG_LEVEL: 'warn' } })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    await service.stop()
    s3.stop()
  })

  const poll = async (slug: string) => (await ownPoll(service, brand, slug)) as PicturedPoll
  const patch = (slug: string, json: unknown) => patchPoll(service, brand, slug, json)

  const painted = (slot: PollSlot, size: { width: number; height: number }, colour: typeof RED | typeof BLUE = RED) =>
    upload(service, brand, { slot, contentType: 'image/png', bytes: paint(size, colour) })

  const withVariants = (slug: string, slot: PollSlot, count: number) =>
    until(async () => {
      const variants = (await poll(slug)).imageVariants.filter((variant) => variant.slot === slot)
      return variants.length === count ? variants : null
    })

  const read = async (url: string) => {
    const response = await fetch(service.service.url + pathOf(url))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    return response.bytes()
  }

  const pixelsOf = async (url: string) =>
    readPixels(await new Bun.Image(await read(url)).png({ compressionLevel: 0 }).bytes())

  const fileRow = (key: string) =>
    service.db.selectFrom('files').selectAll().where('key', '=', key).executeTakeFirstOrThrow()

  // spec: 2.2-4
  test.each([
    [1_500, [320, 640, 960, 1_280]],
    [1_280, [320, 640, 960, 1_280]],
    [1_023, [320, 640, 960, 1_023]],
    [640, [320, 640]],
    [400, [320, 400]],
    [320, [320]],
    [12, [12]],
  ])('%d pixels wide are %j, never wider than it is', async (width, widths) => {
    const { slug } = await service.createPoll(brand)
    const { publicUrl, key } = await painted('optionA', { width, height: 100 })
    const shown = await patch(slug, { optionA: { imageUrl: publicUrl } })
    // Made before the upload was answered.
    const variants = (shown.body.data as unknown as PicturedPoll).imageVariants
    expect(variants.map((variant) => variant.width)).toEqual(widths)
    for (const variant of variants) {
      expect(variant.url).toBe(publicUrl.replace(key, variantKey(key, variant.width)))
      const height = Math.floor((100 * variant.width) / width)
      expect(await new Bun.Image(await read(variant.url)).metadata()).toEqual({
        width: variant.width,
        height: Math.max(1, height),
        format: 'webp',
      })
    }
  })

  // spec: 2.2-4
  test('are in the first public answer that shows the picture', async () => {
    const { slug } = await service.createPoll(brand)
    const { publicUrl } = await painted('optionB', { width: 700, height: 300 })
    await patch(slug, { optionB: { imageUrl: publicUrl } })
    const { body } = await service.get<PicturedPoll>(`polls/${slug}`)
    expect(body.data.imageVariants.map(({ width }) => width)).toEqual([320, 640, 700])
    const feed = await service.get<PicturedPoll[]>(`brands/${brand.slug}/polls`)
    expect(feed.body.data.find(({ id }) => id === body.data.id)?.imageVariants).toEqual(body.data.imageVariants)
  })

  test('of both options are combined into one, which follows them and is replaced by an uploaded one', async () => {
    const [red, blue] = [
      await painted('optionA', { width: 900, height: 600 }, RED),
      await painted('optionB', { width: 300, height: 700 }, BLUE),
    ]
    await createWebhook(service, brand, { events: ['poll.updated'] })
    const made = await service.createPoll(brand, {
      optionA: { label: 'A', imageUrl: red.publicUrl },
      optionB: { label: 'B', imageUrl: blue.publicUrl },
    })
    const event = await until(async () => {
      const rows = await service.db.selectFrom('webhook_deliveries').select(['event_type', 'payload']).execute()
      return rows.find(({ payload }) => payload?.includes(made.id)) ?? null
    })
    expect(event.event_type).toBe('poll.updated')
    expect(JSON.parse(event.payload ?? '').data.poll).toMatchObject({
      updatedAt: made.updatedAt,
      images: { combined: expect.any(String) },
    })
    const combined = await until(async () => (await poll(made.slug)).images.combined)
    const { width, height, rgba } = await pixelsOf(combined)
    expect([width, height]).toEqual([600, 300])
    const colourAt = (x: number, y: number) => [...rgba.slice((y * width + x) * 4, (y * width + x) * 4 + 3)]
    for (const y of [2, 150, 297]) {
      for (const x of [2, 290]) expect(colourAt(x, y)[0]).toBeGreaterThan(180)
      for (const x of [310, 597]) expect(colourAt(x, y)[2]).toBeGreaterThan(180)
    }
    expect((await withVariants(made.slug, 'combined', 2)).map((variant) => variant.width)).toEqual([320, 600])
    expect((await service.get<PicturedPoll>(`polls/${made.slug}`)).body.data.images.combined).toBe(combined)

    expect(problemsOf(await patch(made.slug, { images: { combined } }))).toEqual(['images.combined unknown_file'])
    expect((await patch(made.slug, { title: 'As before' })).body.data['images']).toMatchObject({ combined })
    const own = (await painted('combined', { width: 100, height: 50 })).publicUrl
    expect((await patch(made.slug, { images: { combined: own } })).body.data['images']).toMatchObject({ combined: own })
    await patch(made.slug, { images: { combined: null } })
    const again = await until(async () => (await poll(made.slug)).images.combined)
    expect(again).not.toBe(own)
    const green = (await painted('optionB', { width: 64, height: 64 })).publicUrl
    expect((await patch(made.slug, { optionB: { imageUrl: green } })).body.data['images']).toMatchObject({
      combined: null,
    })
    const small = await until(async () => (await poll(made.slug)).images.combined)
    expect(await new Bun.Image(await read(small)).metadata()).toMatchObject({ width: 128, height: 64 })
    const single = await patch(made.slug, { optionA: { imageUrl: null } })
    expect(single.body.data['images']).toMatchObject({ combined: null })
  })

  test('combined from a larger and a smaller picture show the middle of the larger one', async () => {
    const striped = paint({ width: 1_600, height: 600 }, (x) => (x < 500 || x >= 1_100 ? BLUE : RED))
    const left = await upload(service, brand, {
      slot: 'optionA',
      contentType: 'image/jpeg',
      bytes: await jpegOf(striped),
    })
    const right = await painted('optionB', { width: 600, height: 600 }, BLUE)
    const { slug } = await service.createPoll(brand, {
      optionA: { label: 'A', imageUrl: left.publicUrl },
      optionB: { label: 'B', imageUrl: right.publicUrl },
    })
    const { width, height, rgba } = await pixelsOf(await until(async () => (await poll(slug)).images.combined))
    expect([width, height]).toEqual([1_024, 512])
    for (const x of [8, 256, 504]) expect(rgba[(256 * width + x) * 4]).toBeGreaterThan(180)
  })

  test('combined are composed again when an option moves its picture, and the last one has the last placement', async () => {
    const striped = paint({ width: 900, height: 300 }, (x) => (x < 300 ? RED : BLUE))
    const left = await upload(service, brand, {
      slot: 'optionA',
      contentType: 'image/jpeg',
      bytes: await jpegOf(striped),
    })
    const right = await painted('optionB', { width: 300, height: 300 }, BLUE)
    const { slug } = await service.createPoll(brand, {
      optionA: { label: 'A', imageUrl: left.publicUrl, focusX: 1 },
      optionB: { label: 'B', imageUrl: right.publicUrl },
    })
    const pixelAt = async (address: string, x: number, y: number) => {
      const { width, rgba } = await pixelsOf(address)
      return rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)
    }
    const combined = () => until(async () => (await poll(slug)).images.combined)
    const first = await combined()
    expect((await pixelAt(first, 150, 150))[0]).toBeLessThan(80)
    expect((await patch(slug, { title: 'As before', optionA: { focusX: 1 } })).body.data['images']).toMatchObject({
      combined: first,
    })
    for (const focusX of [0.2, 0.4, 0]) await patch(slug, { optionA: { focusX } })
    const second = await combined()
    expect(second).not.toBe(first)
    expect((await pixelAt(second, 150, 150))[0]).toBeGreaterThan(180)
    await patch(slug, { optionA: { fit: 'contain' } })
    expect((await pixelAt(await combined(), 150, 20))[3]).toBe(0)
  })

  /** Making variants by hand uses a later clock, and would take a picture that the worker is making. */
  const untilIdle = () =>
    until(async () => {
      const soon = service.clock.now() + 500_000
      const due = service.db.selectFrom('files').select('key').where('variants_due_at', '<=', soon)
      return (await due.executeTakeFirst()) ? null : true
    })

  /** A file that the service's own worker does not touch, and the parts to make its variants by hand. */
  async function waiting(bytes: Uint8Array, files: Partial<FileStore> = {}) {
    await untilIdle()
    const later = service.clock.now() + 1_000_000
    const key = await keepFile(
      service.db,
      { ...service.deps, clock: { now: () => later } },
      {
        brandKey: brand.brandKey,
        slot: 'optionA',
        contentType: 'image/png',
        bytes,
        width: 640,
        height: 10,
      },
    )
    let time = later + 1
    const deps = { ...service.deps, clock: { now: () => time }, files: { ...service.deps.files, ...files } }
    return { key, deps, after: (milliseconds: number) => (time += milliseconds) }
  }

  const tall = paint({ width: 640, height: 10 })

  test('are made by exactly one of several servers', async () => {
    const { key, deps } = await waiting(tall)
    const puts: string[] = []
    const put = async (name: string, path: string) => {
      puts.push(name)
      await service.deps.files.put(name, path)
    }
    const several = Array.from({ length: 6 }, () => makePictures({ ...deps, files: { ...deps.files, put } }))
    await Promise.all(several)
    expect(puts.filter((name) => name.startsWith(key.slice(0, 32)))).toEqual([
      variantKey(key, 320),
      variantKey(key, 640),
    ])
    expect(await fileRow(key)).toMatchObject({ variant_widths: '320 640', variants_due_at: null })
  })

  test('that a server began and never finished are begun again after two minutes, at most five times', async () => {
    const broken = new Error('the process ends here')
    const { key, deps, after } = await waiting(tall)
    const dying = { ...deps, files: { ...deps.files, put: () => Promise.reject(broken) } }
    for (let i = 0; i < 5; i++) {
      await expect(makePictures(dying)).rejects.toThrow(broken)
      await makePictures(deps)
      expect((await fileRow(key)).variant_widths).toBe('')
      after(120_000)
    }
    await makePictures(deps)
    expect(await fileRow(key)).toMatchObject({ variant_widths: '', variants_due_at: null })

    const other = await waiting(tall)
    await expect(makePictures({ ...other.deps, files: dying.files })).rejects.toThrow(broken)
    other.after(120_000)
    await makePictures(other.deps)
    expect((await fileRow(other.key)).variant_widths).toBe('320 640')
  })

  test('are made once an unavailable store is back, however long that takes', async () => {
    const { key, deps, after } = await waiting(tall, { put: () => Promise.reject(new StoreAway(new Error('away'))) })
    for (let i = 0; i < 9; i++) {
      await makePictures(deps)
      after(30_000)
    }
    expect((await fileRow(key)).variants_due_at).not.toBeNull()
    await makePictures({ ...deps, files: service.deps.files })
    expect((await fileRow(key)).variant_widths).toBe('320 640')
  })

  test('are not made of a missing or unreadable file, and the log says so once', async () => {
    service.logLines.splice(0)
    const bad = await waiting(Buffer.from('no picture'))
    const missing = await waiting(tall)
    await service.deps.files.remove(missing.key)
    for (let i = 0; i < 3; i++) await makePictures(missing.deps)
    for (const { key } of [bad, missing]) {
      expect(await fileRow(key)).toMatchObject({ variant_widths: '', variants_due_at: null })
      expect(service.logLines.filter((line) => line.includes(key))).toHaveLength(1)
    }
  })

  test('of a file that is removed meanwhile are removed as well', async () => {
    const { key, deps } = await waiting(tall)
    const put = async (name: string, path: string) => {
      await service.deps.files.put(name, path)
      await service.db.deleteFrom('files').where('key', '=', key).execute()
    }
    const changed: number[] = []
    const changes = new Changes(service.deps.engine)
    changes.subscribe({ pollChanged: (pollKey) => changed.push(pollKey) })
    await makePictures({ ...deps, changes, files: { ...deps.files, put } })
    expect(changed).toEqual([])
    for (const name of [key, variantKey(key, 320), variantKey(key, 640)]) {
      expect(await service.deps.files.sizeOf(name)).toBeNull()
    }
  })

  test('of two pictures are not combined when one is gone', async () => {
    const key = fileKey('image/webp')
    const row = { key, brand_key: brand.brandKey, slot: 'composed', content_type: 'image/webp', byte_size: 0 }
    const order = { ...row, width: 0, height: 0, created_at: 0, expires_at: null, variants_due_at: 1 }
    const gone = fileKey('image/png')
    await service.db
      .insertInto('files')
      .values({ ...order, part_a: gone, part_b: gone })
      .execute()
    await until(async () => ((await fileRow(key)).variants_due_at === null ? true : null))
    expect(await fileRow(key)).toMatchObject({ width: 0, variant_widths: '' })
    expect(await service.deps.files.sizeOf(key)).toBeNull()
  })
})
