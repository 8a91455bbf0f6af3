import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sampleEngines } from './engines.ts'
import { eventually } from './eventually.ts'
import { paint, svg } from './pictures.ts'
import { patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { upload } from './uploads.ts'

// Disks are slow on a busy machine.
setDefaultTimeout(60_000)

const CDN = 'https://cdn.example/pictures'

describe.each([...sampleEngines])('%s: FILES_URL', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, {
      settings: { FILES_URL: `${CDN}/`, PUBLIC_URL: 'https://polls.example' },
    })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test('is the base of every file address, and a file elsewhere is not accepted as one of ours', async () => {
    const bytes = paint({ width: 30, height: 20 })
    const made = await upload(service, brand, { slot: 'optionA', contentType: 'image/png', bytes })
    expect(made.publicUrl).toBe(`${CDN}/${made.key}`)
    const { slug } = await service.createPoll(brand)
    const set = (imageUrl: string) => patchPoll(service, brand, slug, { optionA: { imageUrl } })
    for (const url of [
      `https://polls.example/files/${made.key}`,
      `${CDN}/files/${made.key}`,
      `${CDN}/../${made.key}`,
    ]) {
      expect(problemsOf(await set(url))).toEqual(['optionA.imageUrl unknown_file'])
    }
    expect((await set(made.publicUrl)).status).toBe(200)
    const variant = await eventually(async () => {
      const { imageVariants } = (await service.get<PollData>(`polls/${slug}`)).body.data
      return (imageVariants as { url: string }[])[0]
    })
    expect(variant.url).toBe(`${CDN}/${made.key.replace('.png', '-30.webp')}`)
    expect((await service.get(`/files/${made.key}`)).status).toBe(200)
  })

  test('an SVG is sent as an attachment', async () => {
    const bytes = svg('<path d="M0 0h9v9z"/>')
    const drawing = await upload(service, brand, { slot: 'favicon', contentType: 'image/svg+xml', bytes })
    const { headers } = await service.get(`/files/${drawing.key}`)
    expect(headers.get('content-disposition')).toBe('attachment')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    const photo = await upload(service, brand, {
      slot: 'favicon',
      contentType: 'image/png',
      bytes: paint({ width: 9, height: 9 }),
    })
    expect((await service.get(`/files/${photo.key}`)).headers.get('content-disposition')).toBeNull()
  })
})
