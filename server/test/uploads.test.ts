import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { createServer, request as passOn } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { UploadSlot } from '../src/features/uploads/files.ts'
import type { ContentType } from '../src/files/file-keys.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { jpegOf, paint, svg, webpOf, withExif } from './pictures.ts'
import { patchPoll } from './polls.ts'
import { S3StandIn } from './s3-stand-in.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { askTicket, newTicket, pathOf, putBytes, storedKeys, upload } from './uploads.ts'

// Disks are slow on a busy machine.
setDefaultTimeout(60_000)

const SITE = 'https://polls.example'
const png = paint({ width: 60, height: 40 }, [200, 30, 30])
const drawing = svg('<circle cx="12" cy="12" r="10" fill="#08f"/>', 'viewBox="0 0 24 24" width="48" height="24"')

const samples: Record<ContentType, Uint8Array> = {
  'image/png': png,
  'image/jpeg': await jpegOf(png),
  'image/webp': await webpOf(png),
  'image/svg+xml': drawing,
}

const everySlot: [UploadSlot, ContentType][] = [
  ...(['optionA', 'optionB', 'combined'] as const).flatMap((slot) =>
    (['image/png', 'image/jpeg', 'image/webp'] as const).map((type): [UploadSlot, ContentType] => [slot, type]),
  ),
  ...(['logo_light', 'logo_dark'] as const).flatMap((slot) =>
    (['image/png', 'image/svg+xml', 'image/webp'] as const).map((type): [UploadSlot, ContentType] => [slot, type]),
  ),
  ['favicon', 'image/png'],
  ['favicon', 'image/svg+xml'],
]

const stores = ['disk', ...(process.env['TEST_S3_URL'] ? (['a real S3'] as const) : []), 'S3'] as const

describe.each(engines.flatMap((engine) => stores.map((store) => [engine, store] as const)))(
  '%s, files on %s: an upload',
  (engine, store) => {
    const s3 = new S3StandIn()
    let service: TestService
    let brand: TestBrand
    beforeAll(async () => {
      const url = store === 'S3' ? s3.url({ folder: 'some/folder' }) : (process.env['TEST_S3_URL'] ?? '')
      const settings = { PUBLIC_URL: SITE, ...(store === 'disk' ? {} : { S3_URL: url }) }
      service = await startTestService(engine, { settings })
      brand = await service.createBrand()
    })
    afterAll(async () => {
      await service.stop()
      s3.stop()
    })

    // spec: 2.8-2, 4.6-3, 4.12-3
    test.each(everySlot)('for %s as %s is uploaded, stored and served', async (slot, contentType) => {
      const bytes = samples[contentType]
      const asked = await askTicket(service, brand, { slot, contentType, byteSize: bytes.length })
      expect(asked.status).toBe(200)
      const ticket = asked.body.data
      expect(ticket).toEqual({
        uploadUrl: expect.stringMatching(/^https:\/\/polls\.example\/uploads\/[\w.-]{35,37}\?signature=[\w-]{43}$/),
        key: expect.stringMatching(/^[\w-]{32}\.(png|jpg|webp|svg)$/),
        publicUrl: `${SITE}/files/${ticket.key}`,
        expiresIn: 600,
        method: 'PUT',
        headers: { 'Content-Type': contentType },
      })
      expect((await service.get(pathOf(ticket.publicUrl))).status).toBe(404)
      const uploaded = await putBytes(service, ticket, bytes)
      expect(uploaded.status).toBe(200)
      const size = contentType === 'image/svg+xml' ? { width: 48, height: 24 } : { width: 60, height: 40 }
      const { key, publicUrl } = ticket
      expect(uploaded.body.data).toEqual({ key, publicUrl, contentType, byteSize: expect.any(Number), ...size })

      const shown = await fetch(service.service.url + pathOf(publicUrl))
      expect(shown.status).toBe(200)
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'content-type': contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
        etag: `"${key}"`,
      })
      const body = await shown.bytes()
      expect(body.length).toBe(uploaded.body.data.byteSize)
      expect(shown.headers.get('content-security-policy')).toBe(
        contentType === 'image/svg+xml' ? "sandbox; default-src 'none'; style-src 'unsafe-inline'" : null,
      )
      if (contentType !== 'image/svg+xml') {
        const { format, ...measured } = await new Bun.Image(body).metadata()
        expect([`image/${format}`, measured]).toEqual([contentType, size])
      }
      // Variants of earlier pictures may be written at any time; files of this upload would stay.
      await eventually(async () => (await leftOvers()).length === 0)
    })

    test('is served with HEAD, 304 and, from the disk, ranges', async () => {
      const { publicUrl, byteSize, key } = await upload(service, brand, {
        slot: 'optionA',
        contentType: 'image/png',
        bytes: png,
      })
      const path = pathOf(publicUrl)
      const head = await service.request('HEAD', path)
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(byteSize)])
      expect(head.headers.get('content-type')).toBe('image/png')
      for (const tag of [`"${key}"`, `W/"${key}"`, `"other", "${key}"`, '*']) {
        const known = await service.get(path, { headers: { 'If-None-Match': tag } })
        expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', `"${key}"`])
        expect((await service.request('HEAD', path, { headers: { 'If-None-Match': tag } })).status).toBe(304)
      }
      expect((await service.get(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
      const ranged = await fetch(service.service.url + path, { headers: { Range: 'bytes=0-3' } })
      expect([ranged.status, (await ranged.bytes()).length]).toEqual(store === 'disk' ? [206, 4] : [200, byteSize])
    })

    test('that does not exist is 404, for every caller and method', async () => {
      const keys = ['A'.repeat(32), `${'A'.repeat(32)}.png`, `${'A'.repeat(32)}-320.webp`, '%2e%2e%2fserve.lock']
      for (const key of [...keys, '..%2ftossup.sqlite', '.unfinished', '%00', `${'A'.repeat(32)}.exe`]) {
        expect((await service.get(`/files/${key}`)).status).toBe(404)
        expect((await service.request('HEAD', `/files/${key}`)).status).toBe(404)
        expect((await service.get(`/files/${key}`, { headers: { 'If-None-Match': '*' } })).status).toBe(404)
      }
    })

    test("is turned upright, without the camera's metadata", async () => {
      const bytes = withExif(await jpegOf(paint({ width: 40, height: 20 })), 6)
      const made = await upload(service, brand, { slot: 'optionB', contentType: 'image/jpeg', bytes })
      expect(made).toMatchObject({ width: 20, height: 40 })
      const stored = Buffer.from(await (await fetch(service.service.url + pathOf(made.publicUrl))).bytes())
      for (const trace of ['Exif', 'taken at home']) expect(stored.includes(trace)).toBe(false)
      const poll = await service.createPoll(brand)
      const patched = await patchPoll(service, brand, poll.slug, { optionB: { imageUrl: made.publicUrl } })
      expect(patched.status).toBe(200)
      expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data['images']).toMatchObject({
        optionB: made.publicUrl,
      })
    })

    test('can be sent by a page of any origin, which can read preflight and errors', async () => {
      const ticket = await newTicket(service, brand, { slot: 'optionA', contentType: 'image/png' })
      const origin = { Origin: 'https://page.test' }
      const preflight = await service.request('OPTIONS', pathOf(ticket.uploadUrl), {
        headers: {
          ...origin,
          'Access-Control-Request-Method': 'PUT',
          'Access-Control-Request-Headers': 'content-type',
        },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Type')
      const refused = await putBytes(service, ticket, png, { ...origin, 'Content-Type': 'image/webp' })
      expect([refused.status, refused.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      const taken = await putBytes(service, ticket, png, origin)
      expect(taken.status).toBe(200)
      for (const { headers } of [preflight, refused, taken]) {
        expect(headers.get('access-control-allow-origin')).toBe('*')
      }
    })

    test('has a ticket whose replay gives the same answer, which is stored encrypted', async () => {
      const key = randomUUID()
      const { slug } = await service.createPoll(brand)
      const ask = { token: brand.token, key, json: { slot: 'optionA', contentType: 'image/png' } }
      const path = `brands/me/polls/${slug}/images/upload-url`
      const [first, second] = [await service.post(path, ask), await service.post(path, ask)]
      expect(second.text).toBe(first.text)
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      const row = await service.db
        .selectFrom('idempotency_keys')
        .select('body')
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
      expect(Buffer.from(row.body).toString('latin1')).not.toContain('uploads')
      const missing = { ...ask, key: randomUUID() }
      for (let i = 0; i < 2; i++) {
        const none = await service.post('brands/me/polls/no-such-poll/images/upload-url', missing)
        expect([none.status, none.headers.has('idempotent-replayed')]).toEqual([404, i === 1])
      }
    })

    async function leftOvers(): Promise<string[]> {
      const { dataDir } = service.deps.config
      const waiting = await readdir(join(dataDir, 'uploads'))
      return store === 'disk' ? [...waiting, ...(await readdir(join(dataDir, 'files', '.unfinished')))] : waiting
    }

    test('leaves nothing but the stored file', async () => {
      const keys = await storedKeys(service)
      expect(keys.length).toBeGreaterThan(everySlot.length)
      for (const key of keys) expect(await service.deps.files.sizeOf(key)).toBeGreaterThan(0)
      expect(s3.refusals).toEqual([])
      if (store !== 'S3') return
      for (const [path, { headers }] of s3.objects) {
        expect(path).toStartWith('some/folder/')
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
        expect(headers['content-disposition']).toBe(path.endsWith('.svg') ? 'attachment' : undefined)
        expect(headers['content-type']).toMatch(
          path.endsWith('.svg') ? /^image\/svg\+xml$/ : /^image\/(png|jpeg|webp)$/,
        )
      }
    })
  },
)

test('a picture that S3 sends in part is not answered as a whole one', async () => {
  const s3 = new S3StandIn()
  let isCut = false
  // Passes requests on with their signatures, and cuts the answers to reads.
  const between = createServer((asked, answered) => {
    const passed = passOn(`${s3.endpoint}${asked.url}`, { method: asked.method, headers: asked.headers }, (answer) => {
      answered.writeHead(answer.statusCode ?? 500, answer.headers)
      if (asked.method !== 'GET' || !isCut) return void answer.pipe(answered)
      answer.once('data', (bytes: Buffer) => answered.write(bytes.subarray(0, 100), () => answered.destroy()))
    })
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  const { port } = between.address() as AddressInfo
  const url = s3.url().replace(/@[^/]+/, `@127.0.0.1:${port}`)
  const service = await startTestService('sqlite', { settings: { S3_URL: url } })
  try {
    const brand = await service.createBrand()
    const bytes = paint({ width: 300, height: 200 })
    const { key } = await upload(service, brand, { slot: 'favicon', contentType: 'image/png', bytes })
    expect((await service.get(`/files/${key}`)).headers.get('cache-control')).toContain('immutable')
    isCut = true
    const cut = await service.get(`/files/${key}`)
    expect([cut.status, cut.body.error.code, cut.headers.get('cache-control')]).toEqual([
      503,
      'UNAVAILABLE',
      'private, no-store',
    ])
  } finally {
    await service.stop()
    between.closeAllConnections()
    between.close()
    s3.stop()
  }
})
