import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keepFile, type PollSlot } from '../src/features/uploads/files.ts'
import { engines } from './engines.ts'
import { deletePoll, minimalPoll, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const SITE = 'https://polls.example'

describe.each([...engines])('%s: the pictures of a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { PUBLIC_URL: `${SITE}/` } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function upload(slot: PollSlot, { width = 640, owner = brand } = {}): Promise<string> {
    const bytes = new TextEncoder().encode('not looked at here')
    const file = { brandKey: owner.brandKey, slot, contentType: 'image/webp', bytes, width, height: 480 } as const
    return `${SITE}/files/${await keepFile(service.db, service.deps, file)}`
  }

  const create = (fields: Record<string, unknown>) =>
    service.write<PollData>('POST', 'brands/me/polls', { token: brand.token, json: { ...minimalPoll, ...fields } })

  // spec: 2.2-3
  test('are set at creation, and are in every answer that shows the poll', async () => {
    const [a, b] = [await upload('optionA', { width: 320 }), await upload('optionB')]
    const { body, status } = await create({
      optionA: { label: 'A', imageUrl: a, imageAlt: 'Alt' },
      optionB: { label: 'B', imageUrl: b },
    })
    expect(status).toBe(201)
    const shown = {
      optionA: { label: 'A', imageUrl: a, imageAlt: 'Alt' },
      optionB: { label: 'B', imageUrl: b, imageAlt: null },
      images: { optionA: a, optionB: b, combined: null },
      imageVariants: [],
    }
    expect(body.data).toMatchObject(shown)
    expect((await service.get(`polls/${body.data.slug}`)).body.data).toMatchObject(shown)
    const feed = await service.get<PollData[]>(`brands/${brand.slug}/polls`)
    expect(feed.body.data.find(({ id }) => id === body.data.id)).toMatchObject(shown)
    expect((await service.get(new URL(a).pathname)).status).toBe(200)
  })

  // spec: 4.6-5
  test('are updated one by one: each can be set, kept and cleared', async () => {
    const poll = await service.createPoll(brand)
    const [a, b, combined] = [await upload('optionA'), await upload('optionB'), await upload('combined')]
    const images = async (json: unknown) => (await patchPoll(service, brand, poll.slug, json)).body.data['images']
    expect(await images({ optionA: { imageUrl: a } })).toEqual({ optionA: a, optionB: null, combined: null })
    expect(await images({ images: { combined } })).toEqual({ optionA: a, optionB: null, combined })
    expect(await images({ optionB: { imageUrl: b } })).toEqual({ optionA: a, optionB: b, combined })
    const untouched = { title: 'New', optionA: { label: 'L', imageAlt: 'T' }, images: {} }
    expect(await images(untouched)).toEqual({ optionA: a, optionB: b, combined })
    expect(await images({ optionA: { imageUrl: null } })).toEqual({ optionA: null, optionB: b, combined })
    const cleared = await patchPoll(service, brand, poll.slug, { images: { combined: null } })
    expect(cleared.body.data).toMatchObject({
      optionA: { label: 'L', imageUrl: null, imageAlt: 'T' },
      images: { optionA: null, optionB: b, combined: null },
    })
  })

  test('may be used by several polls, and survive the deletion of one', async () => {
    const imageUrl = await upload('optionA')
    const polls = [
      await service.createPoll(brand, { optionA: { label: 'x', imageUrl } }),
      await service.createPoll(brand, { optionA: { label: 'y', imageUrl } }),
    ]
    expect((await deletePoll(service, brand, polls[0]?.slug ?? '')).status).toBe(204)
    const left = await service.get<PollData>(`polls/${polls[1]?.slug}`)
    expect(left.body.data['images']).toMatchObject({ optionA: imageUrl })
  })

  // spec: 2.2-3
  test('must be files of this brand and this slot', async () => {
    const right = await upload('optionA')
    const other = await service.createBrand()
    const wrong = [
      await upload('optionB'),
      await upload('combined'),
      await upload('optionA', { owner: other }),
      right.replace('polls.example', 'evil.example'),
      right.replace('https', 'http'),
      right.replace(SITE, ''),
      `${SITE}/files/${'A'.repeat(32)}.webp`,
      `${SITE}/files/`,
      `${right}?x=1`,
      `${right}#x`,
      right.replace('/files/', '/files/../files/'),
      right.replace('.webp', '.png'),
      '',
      'javascript:alert(1)',
    ]
    const poll = await service.createPoll(brand, { optionA: { label: 'x', imageUrl: right } })
    for (const imageUrl of wrong) {
      const created = await create({ optionA: { label: 'x', imageUrl } })
      expect(created.status).toBe(422)
      expect(problemsOf(created)).toEqual(['optionA.imageUrl unknown_file'])
      const patched = await patchPoll(service, brand, poll.slug, { optionA: { imageUrl } })
      expect(problemsOf(patched)).toEqual(['optionA.imageUrl unknown_file'])
    }
    const combined = await patchPoll(service, brand, poll.slug, { images: { combined: right } })
    expect(problemsOf(combined)).toEqual(['images.combined unknown_file'])
    const long = await create({ optionB: { label: 'x', imageUrl: `${SITE}/${'x'.repeat(2_048)}` } })
    expect(problemsOf(long)).toEqual(['optionB.imageUrl too_long'])
    expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data['images']).toMatchObject({ optionA: right })
  })
})
