import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { DAY } from '../src/base/clock.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { paint } from './pictures.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { S3StandIn } from './s3-stand-in.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { newTicket, pathOf, putBytes, upload } from './uploads.ts'

// Pictures are made in other processes, which start slowly on a busy machine.
setDefaultTimeout(120_000)

const FOLDER = 'shared'

interface PollPictures {
  readonly optionA: { readonly imageUrl: string | null }
  readonly images: { readonly combined: string | null }
  readonly imageVariants: readonly { readonly url: string }[]
}

describe.if(engines.includes('postgres'))('postgres: two servers with an S3 store and no common folder', () => {
  const s3 = new S3StandIn()
  let database: OwnDatabase
  /** Answers requests only: another process makes the pictures. */
  let front: TestService
  let back: TestService
  let brand: TestBrand

  beforeAll(async () => {
    database = await createDatabase()
    const settings = {
      DATABASE_URL: database.url,
      S3_URL: s3.url({ folder: FOLDER }),
      PUBLIC_URL: 'https://polls.example',
    }
    front = await startTestService('sqlite', { settings, jobs: 'by hand', role: 'api' })
    back = await startTestService('sqlite', { settings, jobs: 'by hand' })
    expect(front.deps.config.dataDir).not.toBe(back.deps.config.dataDir)
    brand = await front.createBrand()
  })
  afterAll(async () => {
    await front.stop()
    await back.stop()
    await database.drop()
    await s3.stop()
  })

  const paintOf = (red: number) => paint({ width: 700, height: 700 }, [red, 40, 40])
  const pollOn = async (service: TestService, slug: string) =>
    (await service.get<PollData & PollPictures>(`polls/${slug}`)).body.data

  async function picturedPoll(): Promise<PollData> {
    const poll = await front.createPoll(brand)
    const options: Record<string, unknown> = {}
    for (const [red, slot] of [
      [200, 'optionA'],
      [90, 'optionB'],
    ] as const) {
      const { publicUrl } = await upload(front, brand, { slot, contentType: 'image/png', bytes: paintOf(red) })
      options[slot] = { imageUrl: publicUrl }
    }
    expect((await patchPoll(front, brand, poll.slug, options)).status).toBe(200)
    return poll
  }

  const bytesOf = async (service: TestService, url: string) => {
    const answer = await fetch(service.service.url + pathOf(url))
    return { status: answer.status, bytes: await answer.bytes() }
  }

  test('a ticket of one takes its upload on the other, and both serve the file', async () => {
    const bytes = paintOf(120)
    const wanted = { slot: 'favicon', contentType: 'image/png', byteSize: bytes.length } as const
    const ticket = await newTicket(front, brand, wanted)
    const stored = await putBytes(back, ticket, bytes)
    expect(stored.status).toBe(200)
    const [there, here] = [await bytesOf(back, ticket.publicUrl), await bytesOf(front, ticket.publicUrl)]
    expect([there.status, here.status]).toEqual([200, 200])
    expect(here.bytes).toEqual(there.bytes)
    expect((await putBytes(front, ticket, bytes)).status).toBeGreaterThanOrEqual(400)
  })

  test('the combined picture and the copies that one makes are shown by the other', async () => {
    const { slug } = await picturedPoll()
    await back.runDue()
    const [here, there] = [await pollOn(front, slug), await pollOn(back, slug)]
    expect(here.images.combined).not.toBeNull()
    expect(here.imageVariants.length).toBeGreaterThan(0)
    expect(here.images).toEqual(there.images)
    expect(here.imageVariants).toEqual(there.imageVariants)
    for (const url of [here.images.combined ?? '', ...here.imageVariants.map((variant) => variant.url)]) {
      const [one, two] = [await bytesOf(front, url), await bytesOf(back, url)]
      expect([url, one.status, two.status]).toEqual([url, 200, 200])
      expect(one.bytes).toEqual(two.bytes)
    }
  })

  test('both draw the same share picture, with the pictures of the poll', async () => {
    const { shortId } = await picturedPoll()
    await back.runDue()
    const cardOf = async (service: TestService) => {
      const page = await (await fetch(`${service.service.url}/p/${shortId}`)).text()
      return /<meta property="og:image" content="([^"]*)">/.exec(page)?.[1] ?? ''
    }
    const [url, other] = [await cardOf(front), await cardOf(back)]
    expect(url).toBe(other)
    // On a busy machine, to draw the first picture may take longer than a request may: the server answers 503 until then.
    for (const server of [front, back]) await eventually(async () => (await bytesOf(server, url)).status === 200)
    const [one, two] = [await bytesOf(front, url), await bytesOf(back, url)]
    expect([one.status, two.status]).toEqual([200, 200])
    expect(one.bytes).toEqual(two.bytes)
  })

  test('files that nothing uses any more are deleted for both', async () => {
    const { slug } = await picturedPoll()
    await back.runDue()
    const { optionA, imageVariants } = await pollOn(front, slug)
    const urls = [optionA.imageUrl ?? '', ...imageVariants.map(({ url }) => url)]
    await deletePoll(front, brand, slug)
    for (let week = 0; week < 3; week++) {
      back.clock.advance(8 * DAY)
      await back.runDue()
    }
    for (const url of urls) {
      expect([url, (await bytesOf(back, url)).status, (await bytesOf(front, url)).status]).toEqual([url, 404, 404])
      expect(s3.objects.has(`${FOLDER}/${url.split('/').at(-1)}`)).toBe(false)
    }
  })

  test('the folder of each holds nothing afterwards but its empty folder for uploads', async () => {
    for (const { deps } of [front, back]) {
      expect(await readdir(deps.config.dataDir, { recursive: true })).toEqual(['uploads'])
    }
    expect(s3.refusals).toEqual([])
  })
})
