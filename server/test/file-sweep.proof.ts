import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makePictures } from '../src/features/polls/make-pictures.ts'
import { FileSweep, type PollSlot, type UploadSlot } from '../src/features/uploads/files.ts'
import { sweepTickets } from '../src/features/uploads/tickets.ts'
import { StoreAway, storeBytes } from '../src/files/file-store.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { paint } from './pictures.ts'
import { deletePoll, ownPoll, patchPoll, problemsOf } from './polls.ts'
import { type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { newTicket, pathOf, putBytes, type UploadedData, upload } from './uploads.ts'

// Each of a few hundred files is rewritten, copied and synced.
setDefaultTimeout(60_000)

const DAY = 86_400_000
const HOUR = 3_600_000
const png = paint({ width: 400, height: 300 })

describe.each([...engines])('%s: files that nothing shows', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    service.clock.freeze()
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const picture = async (slot: UploadSlot = 'optionA') => {
    const made = await upload(service, brand, { slot, contentType: 'image/png', bytes: png })
    await eventually(async () => !(await isBeingWorkedOn(made)))
    return made
  }

  async function isBeingWorkedOn({ key }: Pick<UploadedData, 'key'>): Promise<boolean> {
    await makePictures(service.deps)
    const row = await service.db.selectFrom('files').select('variants_due_at').where('key', '=', key).executeTakeFirst()
    return row?.variants_due_at != null
  }

  /** Advances the clock and renews the token, which expires sooner than a file. */
  async function pass(milliseconds: number): Promise<void> {
    service.clock.advance(milliseconds)
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
  }

  /** Runs twice: the first round marks unused files, the second removes expired ones. */
  async function sweep(): Promise<void> {
    const files = new FileSweep(service.deps)
    for (let i = 0; i < 2; i++) await files.run(service.clock.now())
  }

  async function later(milliseconds: number): Promise<void> {
    await pass(milliseconds)
    await sweep()
  }

  const namesOnDisk = () => readdir(join(service.deps.config.dataDir, 'files'))

  /** Expects the row, the file and its variants to exist together or not at all. */
  async function isThere({ key, publicUrl }: Pick<UploadedData, 'key' | 'publicUrl'>): Promise<boolean> {
    const row = await service.db.selectFrom('files').select('key').where('key', '=', key).executeTakeFirst()
    const names = (await namesOnDisk()).filter((name) => name.startsWith(key.slice(0, 32)))
    const { status } = await service.get(pathOf(publicUrl))
    expect([names.length > 0, status]).toEqual(row ? [true, 200] : [false, 404])
    return row !== undefined
  }

  /** The URL of the composed picture, made by this call or by the service's own worker. */
  async function composedOf(slug: string): Promise<Pick<UploadedData, 'key' | 'publicUrl'>> {
    const publicUrl = await eventually(async () => {
      await makePictures(service.deps)
      return ((await ownPoll(service, brand, slug))['images'] as Record<PollSlot, string | null>).combined
    })
    return { key: publicUrl.split('/').at(-1) ?? '', publicUrl }
  }

  const patch = (slug: string, json: unknown) => patchPoll(service, brand, slug, json)
  const setTheme = (theme: string) =>
    service.db.updateTable('brands').set({ theme }).where('key', '=', brand.brandKey).execute()

  test.each(['optionA', 'combined', 'logo_dark'] as const)(
    'as %s are removed a day after their upload',
    async (slot) => {
      const file = await picture(slot)
      await later(DAY - 1)
      expect(await isThere(file)).toBe(true)
      await later(1)
      expect(await isThere(file)).toBe(false)
    },
  )

  test('stay as long as a poll shows them, and are removed a week after it shows another', async () => {
    const [first, second] = [await picture(), await picture()]
    const { slug } = await service.createPoll(brand, { optionA: { label: 'x', imageUrl: first.publicUrl } })
    await later(300 * DAY)
    expect([await isThere(first), await isThere(second)]).toEqual([true, false])
    const third = await picture()
    await patch(slug, { optionA: { imageUrl: third.publicUrl } })
    await sweep()
    await later(7 * DAY - 1)
    expect([await isThere(first), await isThere(third)]).toEqual([true, true])
    await later(1)
    expect([await isThere(first), await isThere(third)]).toEqual([false, true])
    expect((await service.get(`polls/${slug}`)).text).toContain(third.key)
  })

  test('stay when they are used again in time', async () => {
    const file = await picture()
    const { slug } = await service.createPoll(brand, { optionA: { label: 'x', imageUrl: file.publicUrl } })
    await patch(slug, { optionA: { imageUrl: null } })
    await sweep()
    await later(6 * DAY)
    expect((await patch(slug, { optionA: { imageUrl: file.publicUrl } })).status).toBe(200)
    await later(30 * DAY)
    expect(await isThere(file)).toBe(true)
  })

  test('are removed when no poll uses them any more, with the combined picture made of them', async () => {
    const [a, b] = [await picture('optionA'), await picture('optionB')]
    const fields = {
      optionA: { label: 'x', imageUrl: a.publicUrl },
      optionB: { label: 'y', imageUrl: b.publicUrl },
    }
    const polls = [await service.createPoll(brand, fields), await service.createPoll(brand, fields)]
    const composed = await Promise.all(polls.map(({ slug }) => composedOf(slug)))
    const [one = composed[0], two] = composed
    if (!one || !two) throw new Error('two polls make two')
    await deletePoll(service, brand, polls[0]?.slug ?? '')
    await sweep()
    await later(7 * DAY)
    expect([await isThere(a), await isThere(b), await isThere(one), await isThere(two)]).toEqual([
      true,
      true,
      false,
      true,
    ])
    await deletePoll(service, brand, polls[1]?.slug ?? '')
    await sweep()
    await later(7 * DAY)
    expect([await isThere(a), await isThere(b), await isThere(two)]).toEqual([false, false, false])
  })

  test('stay where a theme or a profile uses them, and only there', async () => {
    const [logo, avatar, stray] = [await picture('logo_light'), await picture('favicon'), await picture('favicon')]
    await setTheme(JSON.stringify({ logoLightUrl: logo.publicUrl }))
    const named = service.db.updateTable('brands').set({ avatar_url: avatar.publicUrl })
    await named.where('key', '=', brand.brandKey).execute()
    const stranger = await service.createBrand()
    const theirs = JSON.stringify({ faviconUrl: stray.publicUrl })
    await service.db.updateTable('brands').set({ theme: theirs }).where('key', '=', stranger.brandKey).execute()
    await later(DAY)
    expect([await isThere(logo), await isThere(avatar), await isThere(stray)]).toEqual([true, true, false])
    await setTheme('{}')
    await sweep()
    await later(7 * DAY)
    expect([await isThere(logo), await isThere(avatar)]).toEqual([false, true])
  })

  const LAST_ROUND = 15

  /** At another moment of a sweep in each round. In the first one the sweep is over before, however slow the machine is, and in the last one it comes after. */
  async function meet(round: number, use: () => Promise<Reply>): Promise<Reply> {
    const files = new FileSweep(service.deps)
    if (round === 0) await files.run(service.clock.now())
    // Real time: the moments differ by parts of a millisecond.
    const using = Bun.sleep((LAST_ROUND - round) / 3).then(use)
    if (round === LAST_ROUND) await using
    // Real time: likewise.
    const sweeping = Bun.sleep(round / 3).then(() => files.run(service.clock.now()))
    const [reply] = await Promise.all([using, sweeping])
    return reply
  }

  test('are never removed from a poll that begins to use them at the same moment', async () => {
    let taken = 0
    for (let round = 0; round <= LAST_ROUND; round++) {
      const file = await picture()
      const { slug } = await service.createPoll(brand)
      await pass(DAY)
      const patched = await meet(round, () => patch(slug, { optionA: { imageUrl: file.publicUrl } }))
      if (patched.status === 200) taken++
      else expect(problemsOf(patched)).toEqual(['optionA.imageUrl unknown_file'])
      expect(await isThere(file)).toBe(patched.status === 200)
      const shown = (await ownPoll(service, brand, slug))['images']
      expect(shown).toMatchObject({ optionA: patched.status === 200 ? file.publicUrl : null })
    }
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(LAST_ROUND + 1)
  })

  test('that are being removed cannot be used again, and their removal resumes after a crash or an outage of the store', async () => {
    const file = await picture()
    const { slug } = await service.createPoll(brand)
    await pass(DAY)
    const away = { ...service.deps.files, remove: () => Promise.reject(new StoreAway(new Error('away'))) }
    const stuck = new FileSweep({ ...service.deps, files: away })
    await expect(stuck.run(service.clock.now())).rejects.toThrow('away')
    expect(problemsOf(await patch(slug, { optionA: { imageUrl: file.publicUrl } }))).toEqual([
      'optionA.imageUrl unknown_file',
    ])
    await sweep()
    expect(await isThere(file)).toBe(false)
  })

  test('are all found, however many there are', async () => {
    const brandRow = { brand_key: brand.brandKey, slot: 'optionA', content_type: 'image/png', byte_size: 1 }
    const rows = Array.from({ length: 450 }, () => ({
      ...brandRow,
      key: `${randomUUID().replaceAll('-', '')}.png`,
      width: 1,
      height: 1,
      created_at: 0,
      expires_at: null,
      variants_due_at: null,
    }))
    await service.db.insertInto('files').values(rows).execute()
    const files = new FileSweep(service.deps)
    for (let i = 0; i < 4; i++) await files.run(service.clock.now())
    await pass(7 * DAY)
    for (let i = 0; i < 4; i++) await files.run(service.clock.now())
    const keys = rows.map(({ key }) => key)
    expect(await service.db.selectFrom('files').select('key').where('key', 'in', keys).execute()).toEqual([])
  })
})

describe.each([...engines])('%s: tickets that have run out', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    service.clock.freeze()
  })
  beforeEach(async () => {
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const wanted = { slot: 'favicon', contentType: 'image/png', byteSize: png.length } as const
  const tickets = () => service.db.selectFrom('upload_tickets').select('key').execute()
  const sweep = () => sweepTickets(service.deps, service.clock.now())

  test('are removed an hour later, and not before', async () => {
    await newTicket(service, brand, wanted)
    service.clock.advance(600_000 + HOUR - 1)
    await sweep()
    expect(await tickets()).toHaveLength(1)
    service.clock.advance(1)
    await sweep()
    expect(await tickets()).toEqual([])
  })

  test('are removed with the file that an interrupted upload left in the store', async () => {
    const ticket = await newTicket(service, brand, wanted)
    await storeBytes(service.deps.files, ticket.key, png)
    await service.db.updateTable('upload_tickets').set({ held_by: 'a server that is no more' }).execute()
    service.clock.advance(600_000 + HOUR)
    await sweep()
    expect(await service.deps.files.sizeOf(ticket.key)).toBeNull()
    expect(await tickets()).toEqual([])
  })

  test('leave a completed upload alone', async () => {
    const made = await upload(service, brand, { ...wanted, bytes: png })
    service.clock.advance(2 * HOUR)
    await sweep()
    expect((await service.get(pathOf(made.publicUrl))).status).toBe(200)
  })

  test('cannot be used by an upload that took too long to store: nothing is left of the upload', async () => {
    const ticket = await newTicket(service, brand, wanted)
    const { files } = service.deps
    const put = files.put.bind(files)
    files.put = async (key, path) => {
      await put(key, path)
      service.clock.advance(600_000 + HOUR)
      await sweep()
    }
    try {
      const late = await putBytes(service, ticket, png)
      expect([late.status, late.body.error.code]).toEqual([404, 'NOT_FOUND'])
    } finally {
      files.put = put
    }
    expect(await files.sizeOf(ticket.key)).toBeNull()
    expect(await service.db.selectFrom('files').selectAll().where('key', '=', ticket.key).execute()).toEqual([])
  })
})
