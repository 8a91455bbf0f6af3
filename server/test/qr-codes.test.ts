import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Resvg } from '@resvg/resvg-wasm'
import readCode from 'jsqr'
import { readPixels } from '../src/files/pictures/png.ts'
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

test('a code holds the address of the page, for id, slug and shortId and in every size', async () => {
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

test('the code of a place carries its source, and a malformed one is refused', async () => {
  const poll = await service.createPoll(brand)
  const { said } = await scan(`/p/${poll.slug}/qr.svg?source=poster-1`)
  expect(said).toBe(`${service.deps.config.publicUrl}/p/${poll.shortId}?source=poster-1`)
  const png = await fetch(`${service.service.url}/p/${poll.slug}/qr.png?source=poster-1`)
  const { width, height, rgba } = readPixels(
    await new Bun.Image(await png.bytes()).png({ compressionLevel: 0 }).bytes(),
  )
  expect(readCode(new Uint8ClampedArray(rgba), width, height)?.data).toBe(said)
  for (const source of ['Poster', 'a b', 'x'.repeat(41)])
    expect((await service.get(`/p/${poll.slug}/qr.svg?source=${source}`)).status).toBe(422)
})

test('a PNG holds the same code, in whole pixels', async () => {
  const poll = await service.createPoll(brand)
  const address = `${service.deps.config.publicUrl}/p/${poll.shortId}`
  for (const size of [64, 333, 2_048]) {
    const reply = await fetch(`${service.service.url}/p/${poll.slug}/qr.png?size=${size}`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png'])
    const png = await new Bun.Image(await reply.bytes()).png({ compressionLevel: 0 }).bytes()
    const { width, height, rgba } = readPixels(png)
    expect([width, height]).toEqual([size, size])
    expect(new Set(rgba)).toEqual(new Set([0, 255]))
    expect(readCode(new Uint8ClampedArray(rgba), width, height)?.data).toBe(address)
  }
  expect((await service.get(`/p/${poll.slug}/qr.png?size=2049`)).status).toBe(422)
})

test('an unknown poll has no code, and a size that is too large is refused', async () => {
  const poll = await service.createPoll(brand, { isDraft: true })
  for (const path of [`/p/${poll.slug}`, '/p/none', `/c/${randomUUID()}`, '/b/none']) {
    for (const file of ['qr', 'qr.svg', 'qr.png']) expect((await service.get(`${path}/${file}`)).status).toBe(404)
  }
  for (const size of ['63', '4097', '1e9', '-1', 'x', '']) {
    expect((await service.get(`/b/${brand.slug}/qr.svg?size=${size}`)).status).toBe(422)
  }
})
