import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { POLL_SLOTS } from '../src/features/uploads/files.ts'
import type { ContentType } from '../src/files/file-keys.ts'
import { engines } from './engines.ts'
import { jpegOf, paint } from './pictures.ts'
import { deletePoll, identifiersOf, minimalPoll, patchPoll, problemsOf } from './polls.ts'
import { type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { askTicket, newTicket, pathOf, putBytes, storedKeys, upload } from './uploads.ts'

// Disks are slow on a busy machine.
setDefaultTimeout(60_000)

const png = paint({ width: 20, height: 10 })
const said = ({ status, body: { error } }: Reply): string => `${status} ${error?.code}`
const GONE = '404 NOT_FOUND'

describe.each([...engines])('%s: a ticket', (engine) => {
  let service: TestService
  let brand: TestBrand
  let stranger: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    stranger = await service.createBrand()
  })
  afterAll(() => service.stop())

  const ticketFor = (byteSize?: number, contentType: ContentType = 'image/png') =>
    newTicket(service, brand, { slot: 'optionA', contentType, ...(byteSize ? { byteSize } : {}) })

  /** Expects the rest of the upload to leave no file behind, however it fails. */
  async function expectNothingStored(work: () => Promise<void>): Promise<void> {
    const before = await storedKeys(service)
    await work()
    expect(await storedKeys(service)).toEqual(before)
  }

  // spec: 4.6-2, 4.6-3
  test.each([
    [{ slot: 'optionC', contentType: 'image/png' }, 'slot invalid_value'],
    [{ slot: 'logo_light', contentType: 'image/png' }, 'slot invalid_value'],
    [{ slot: 'optionA', contentType: 'image/svg+xml' }, 'contentType invalid_value'],
    [{ slot: 'optionA', contentType: 'image/gif' }, 'contentType invalid_value'],
    [{ slot: 'optionA', contentType: 'IMAGE/PNG' }, 'contentType invalid_value'],
    [{ contentType: 'image/png' }, 'slot required'],
    [{ slot: 'optionA' }, 'contentType required'],
    [{ slot: 'optionA', contentType: 'image/png', byteSize: 0 }, 'byteSize too_small'],
    [{ slot: 'optionA', contentType: 'image/png', byteSize: -1 }, 'byteSize too_small'],
    [{ slot: 'optionA', contentType: 'image/png', byteSize: 1.5 }, 'byteSize invalid_type'],
    [{ slot: 'optionA', contentType: 'image/png', byteSize: null }, 'byteSize invalid_type'],
    [{ slot: 'optionA', contentType: 'image/png', byteSize: 5 * 1024 * 1024 + 1 }, 'byteSize too_big'],
    [{ slot: 'optionA', contentType: 'image/png', fileName: 'x.png' }, 'fileName unknown_field'],
  ])("for a poll's picture is not given for %j", async (json, problem) => {
    const { slug } = await service.createPoll(brand)
    const path = `brands/me/polls/${slug}/images/upload-url`
    const reply = await service.write('POST', path, { token: brand.token, json })
    expect([said(reply), ...problemsOf(reply)]).toEqual(['422 VALIDATION_ERROR', problem])
  })

  // spec: 4.12-2, 4.12-3, 8-4
  test.each([
    [{ slot: 'optionA', contentType: 'image/png', byteSize: 9 }, 'slot invalid_value'],
    [{ slot: 'logo_light', contentType: 'image/jpeg', byteSize: 9 }, 'contentType invalid_value'],
    [{ slot: 'favicon', contentType: 'image/webp', byteSize: 9 }, 'contentType invalid_value'],
    [{ slot: 'logo_dark', contentType: 'image/webp' }, 'byteSize required'],
    [{ slot: 'logo_dark', contentType: 'image/webp', byteSize: 0 }, 'byteSize too_small'],
    [{ slot: 'logo_dark', contentType: 'image/webp', byteSize: 2_097_153 }, 'byteSize too_big'],
    [{ slot: 'logo_dark', contentType: 'image/webp', byteSize: '9' }, 'byteSize invalid_type'],
  ])('for a theme asset is not given for %j', async (json, problem) => {
    const path = 'brands/me/theme/assets/upload-url'
    const reply = await service.write('POST', path, { token: brand.token, json })
    expect([said(reply), ...problemsOf(reply)]).toEqual(['422 VALIDATION_ERROR', problem])
  })

  // spec: 4.6-1, 4.12-2, 8-4
  test('is given up to the largest size, for id, slug and shortId of a poll, also a draft', async () => {
    const asset = { slot: 'logo_dark', contentType: 'image/webp', byteSize: 2_097_152 } as const
    expect((await askTicket(service, brand, asset)).status).toBe(200)
    const poll = await service.createPoll(brand, { isDraft: true })
    for (const name of identifiersOf(poll)) {
      const wanted = { poll: name, slot: 'combined', contentType: 'image/jpeg', byteSize: 5_242_880 } as const
      expect((await askTicket(service, brand, wanted)).status).toBe(200)
    }
  })

  // spec: 4.6-6
  test("is not given for another brand's poll or a deleted one", async () => {
    const mine = await service.createPoll(brand)
    const gone = await service.createPoll(brand)
    await deletePoll(service, brand, gone.slug)
    const wanted = { slot: 'optionA', contentType: 'image/png' } as const
    expect(said(await askTicket(service, stranger, { ...wanted, poll: mine.slug }))).toBe(GONE)
    expect(said(await askTicket(service, brand, { ...wanted, poll: gone.slug }))).toBe(GONE)
    expect(said(await askTicket(service, brand, { ...wanted, poll: 'no-such-poll' }))).toBe(GONE)
  })

  test('is good for one upload', async () => {
    const ticket = await ticketFor()
    expect((await putBytes(service, ticket, png)).status).toBe(200)
    await expectNothingStored(async () => {
      for (let i = 0; i < 2; i++) expect(said(await putBytes(service, ticket, png))).toBe(GONE)
    })
    expect((await service.get(pathOf(ticket.publicUrl))).status).toBe(200)
  })

  test('is good for one upload, also of twenty at the same time', async () => {
    const ticket = await ticketFor()
    const before = await storedKeys(service)
    const replies = await Promise.all(Array.from({ length: 20 }, () => putBytes(service, ticket, png)))
    expect(replies.map(said).sort()).toEqual(['200 undefined', ...Array.from({ length: 19 }, () => GONE)])
    expect(await storedKeys(service)).toHaveLength(before.length + 1)
  })

  // spec: 8-9
  test('expires after ten minutes', async () => {
    service.clock.freeze()
    const [inTime, late] = [await ticketFor(), await ticketFor()]
    service.clock.advance(599_999)
    expect((await putBytes(service, inTime, png)).status).toBe(200)
    service.clock.advance(1)
    await expectNothingStored(async () => expect(said(await putBytes(service, late, png))).toBe(GONE))
  })

  test('is invalid after any change of its address', async () => {
    const [ticket, other] = [await ticketFor(), await ticketFor()]
    const foreign = await newTicket(service, stranger, { slot: 'optionA', contentType: 'image/png' })
    const signature = (url: string) => url.slice(-43)
    const signed = pathOf(ticket.uploadUrl)
    const addresses = [
      ...Array.from({ length: 43 }, (_, i) => {
        const at = signed.length - 43 + i
        return `${signed.slice(0, at)}${signed[at] === 'A' ? 'B' : 'A'}${signed.slice(at + 1)}`
      }),
      signed.slice(0, -43) + signature(other.uploadUrl),
      signed.slice(0, -43) + signature(foreign.uploadUrl),
      pathOf(foreign.uploadUrl).slice(0, -43) + signature(ticket.uploadUrl),
      signed.replace(ticket.key, `${'A'.repeat(32)}.png`),
      signed.replace('.png', '.svg'),
    ]
    await expectNothingStored(async () => {
      for (const path of addresses) {
        const reply = await service.request('PUT', path, { raw: png, headers: ticket.headers })
        expect([path, said(reply)]).toEqual([path, GONE])
      }
      for (const path of [signed.slice(0, -1), `${signed}A`, signed.slice(0, -53), `${signed}&signature=x`]) {
        const reply = await service.request('PUT', path, { raw: png, headers: ticket.headers })
        expect(said(reply)).toBe('422 VALIDATION_ERROR')
      }
    })
    expect((await putBytes(service, ticket, png)).status).toBe(200)
  })

  // spec: 2.8-2
  test('accepts its own content type, and no other', async () => {
    const ticket = await ticketFor()
    const wrong = [
      { 'Content-Type': 'image/jpeg' },
      { 'Content-Type': 'application/octet-stream' },
      { 'Content-Type': 'image/png; charset=utf-8' },
      { 'Content-Type': 'image/png, text/html' },
      { 'Content-Type': '' },
      { 'Content-Encoding': 'gzip' },
    ]
    await expectNothingStored(async () => {
      for (const headers of wrong) {
        expect(said(await putBytes(service, ticket, png, headers))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
      }
    })
    expect((await putBytes(service, ticket, png, { 'Content-Type': 'Image/PNG' })).status).toBe(200)
  })

  test('accepts its own length, and no other; a wrong Content-Length does not use it up', async () => {
    const ticket = await ticketFor(png.length)
    await expectNothingStored(async () => {
      const longer = await putBytes(service, ticket, Buffer.concat([png, Buffer.alloc(1)]))
      expect([said(longer), longer.body.error.details]).toEqual(['413 PAYLOAD_TOO_LARGE', { limit: png.length }])
      for (const raw of [png.subarray(0, -1), new Uint8Array()]) {
        const shorter = await putBytes(service, ticket, raw)
        expect([said(shorter), ...problemsOf(shorter)]).toEqual(['422 VALIDATION_ERROR', 'body wrong_length'])
      }
    })
    expect((await putBytes(service, ticket, png)).status).toBe(200)
  })

  // spec: 8-9
  test('without a length accepts 5 MiB, and not a byte more', async () => {
    const limit = 5 * 1024 * 1024
    const filled = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)])
    expect((await putBytes(service, await ticketFor(), filled(limit))).status).toBe(200)
    await expectNothingStored(async () => {
      const ticket = await ticketFor()
      const reply = await putBytes(service, ticket, filled(limit + 1))
      expect([said(reply), reply.body.error.details]).toEqual(['413 PAYLOAD_TOO_LARGE', { limit }])
      expect(said(await putBytes(service, ticket, new Uint8Array()))).toBe('422 VALIDATION_ERROR')
    })
  })

  test('names a file that cannot be used before its upload is complete', async () => {
    const poll = await service.createPoll(brand)
    const ticket = await ticketFor()
    const set = async (imageUrl: string) => {
      const patched = await patchPoll(service, brand, poll.slug, { optionA: { imageUrl } })
      return patched.status === 200 ? ['taken'] : problemsOf(patched)
    }
    expect(await set(ticket.publicUrl)).toEqual(['optionA.imageUrl unknown_file'])
    await putBytes(service, ticket, Buffer.from('<html>'))
    expect(await set(ticket.publicUrl)).toEqual(['optionA.imageUrl unknown_file'])
    const second = await ticketFor()
    await putBytes(service, second, png)
    expect(await set(second.uploadUrl)).toEqual(['optionA.imageUrl unknown_file'])
    expect(await set(second.publicUrl)).toEqual(['taken'])
  })

  test('makes a file for its brand and its slot alone', async () => {
    const unknown = (slot: string) => [`${slot === 'combined' ? 'images.combined' : `${slot}.imageUrl`} unknown_file`]
    const patchOf = (slot: string, url: string) =>
      slot === 'combined' ? { images: { combined: url } } : { [slot]: { imageUrl: url } }
    const poll = await service.createPoll(brand)
    const foreign = await service.createPoll(stranger)
    const logo = await upload(service, brand, { slot: 'logo_light', contentType: 'image/png', bytes: png })
    for (const slot of POLL_SLOTS) {
      const { publicUrl } = await upload(service, brand, { slot, contentType: 'image/png', bytes: png })
      const other = POLL_SLOTS.filter((candidate) => candidate !== slot)
      for (const wrong of other) {
        expect(problemsOf(await patchPoll(service, brand, poll.slug, patchOf(wrong, publicUrl)))).toEqual(
          unknown(wrong),
        )
      }
      expect(problemsOf(await patchPoll(service, stranger, foreign.slug, patchOf(slot, publicUrl)))).toEqual(
        unknown(slot),
      )
      expect(problemsOf(await patchPoll(service, brand, poll.slug, patchOf(slot, logo.publicUrl)))).toEqual(
        unknown(slot),
      )
      expect((await patchPoll(service, brand, poll.slug, patchOf(slot, publicUrl))).status).toBe(200)
    }
    const imageUrl = logo.publicUrl
    const created = await service.write('POST', 'brands/me/polls', {
      token: brand.token,
      json: { ...minimalPoll, optionA: { label: 'x', imageUrl } },
    })
    expect(problemsOf(created)).toEqual(unknown('optionA'))
  })

  test('whose file could not be stored leaves no file row', async () => {
    const count = async () => (await service.db.selectFrom('upload_tickets').select('key').execute()).length
    const before = await count()
    const { slug } = await service.createPoll(brand)
    const ask = { token: brand.token, key: randomUUID(), json: { slot: 'optionA', contentType: 'image/png' } }
    const path = `brands/me/polls/${slug}/images/upload-url`
    const replies = await Promise.all(Array.from({ length: 5 }, () => service.post(path, ask)))
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const reply of replies) expect(['200 undefined', '409 IDEMPOTENCY_IN_PROGRESS']).toContain(said(reply))
    expect(await count()).toBe(before + 1)
  })

  test('accepts a JPEG of five megabytes from a camera', async () => {
    const noise = paint({ width: 2_000, height: 1_300 }, () => [Math.random() * 255, Math.random() * 255, 128])
    const bytes = await jpegOf(noise, 95)
    expect(bytes.length).toBeGreaterThan(2_500_000)
    const made = await upload(service, brand, { slot: 'optionA', contentType: 'image/jpeg', bytes })
    expect(made).toMatchObject({ width: 2_000, height: 1_300 })
  })
})
