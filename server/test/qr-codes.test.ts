import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Resvg } from '@resvg/resvg-wasm'
import readCode from 'jsqr'
import { createCampaign } from './campaigns.ts'
import { readyToDraw } from './resvg.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

let service: TestService
let brand: TestBrand
beforeAll(async () => {
  await readyToDraw()
  service = await startTestService('sqlite')
  brand = await service.createBrand()
})
afterAll(() => service.stop())

async function scan(path: string) {
  const { status, text, headers } = await service.get(path)
  expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'image/svg+xml'])
  const { pixels, width, height } = new Resvg(text).render()
  const at = (x: number, y: number) => pixels[4 * (y * width + x)]
  return {
    said: readCode(new Uint8ClampedArray(pixels), width, height)?.data,
    width,
    height,
    corner: at(0, 0),
    headers,
  }
}

test('a code says the address of the page, whatever the page is asked for by, and in any size', async () => {
  const poll = await service.createPoll(brand)
  const { campaignId } = await createCampaign(service, brand, [poll])
  const { publicUrl } = service.deps.config
  for (const [path, address] of [
    [`/p/${poll.slug}`, `/p/${poll.shortId}`],
    [`/p/${poll.id}`, `/p/${poll.shortId}`],
    [`/c/${campaignId}`, `/c/${campaignId}`],
    [`/b/${brand.slug}`, `/b/${brand.slug}`],
  ]) {
    const { said, headers } = await scan(`${path}/qr.svg`)
    expect(said).toBe(`${publicUrl}${address}`)
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
  }
  for (const size of [128, 1_000]) {
    const code = await scan(`/p/${poll.slug}/qr.svg?size=${size}`)
    expect(code).toMatchObject({ width: size, height: size, corner: 255, said: `${publicUrl}/p/${poll.shortId}` })
  }
})

test('there is none of what is not there, and none too large to be drawn', async () => {
  const poll = await service.createPoll(brand, { isDraft: true })
  for (const path of [`/p/${poll.slug}`, '/p/none', `/c/${randomUUID()}`, '/b/none']) {
    expect((await service.get(`${path}/qr.svg`)).status).toBe(404)
  }
  for (const size of ['63', '4097', '1e9', '-1', 'x', '']) {
    expect((await service.get(`/b/${brand.slug}/qr.svg?size=${size}`)).status).toBe(422)
  }
})
