import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { createCampaign } from './campaigns.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { HostSite } from './host-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

interface OEmbedData {
  html: string
  width: number
  height: number
  title: string
  author_name: string
  author_url: string
  thumbnail_url?: string
}

describe('oEmbed', () => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let publicUrl: string
  beforeAll(async () => {
    // The URLs in the answer must resolve.
    service = await startTestService('sqlite', { settings: { PORT: String(freePort()) } })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
    publicUrl = service.deps.config.publicUrl
  })
  afterAll(() => service.stop())

  async function ask(url: string, rest = ''): Promise<{ status: number; data: OEmbedData }> {
    const { status, text } = await service.get(`/oembed?url=${encodeURIComponent(url)}${rest}`)
    return { status, data: JSON.parse(text) as OEmbedData }
  }

  test('is linked on each page, and describes it', async () => {
    const { campaignId } = await createCampaign(service, brand, [poll])
    for (const [path, frame, title] of [
      [`/p/${poll.shortId}`, `/embed/poll/${poll.shortId}`, 'Tea or coffee?'],
      [`/c/${campaignId}`, `/embed/campaign/${campaignId}`, expect.any(String)],
      [`/b/${brand.slug}`, `/embed/brand/${brand.slug}`, `Brand ${brand.slug}`],
    ] as const) {
      const page = await (await fetch(service.service.url + path)).text()
      const [, href = ''] = /<link rel="alternate" type="application\/json\+oembed" href="([^"]*)"/.exec(page) ?? []
      const answer = await fetch(href.replaceAll('&amp;', '&'))
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
      const data = (await answer.json()) as OEmbedData
      expect(data).toMatchObject({
        version: '1.0',
        type: 'rich',
        title,
        author_name: `Brand ${brand.slug}`,
        author_url: `${publicUrl}/b/${brand.slug}`,
        provider_name: 'Tossup',
        provider_url: publicUrl,
        width: 600,
        thumbnail_width: 1200,
        thumbnail_height: 630,
      })
      expect(data.html).toStartWith(`<iframe src="${publicUrl}${frame}" title="`)
      expect((await fetch(data.thumbnail_url ?? '')).headers.get('content-type')).toBe('image/jpeg')
    }
  })

  test('follows the appearance parameters of the address, and no others', async () => {
    const { data } = await ask(`${publicUrl}/p/${poll.slug}?theme=dark&HIDEBRAND&evil="><script>&lang="><script>#x`)
    expect(data.html).toStartWith(
      `<iframe src="${publicUrl}/embed/poll/${poll.shortId}?theme=dark&amp;HIDEBRAND=&amp;lang=%22%3E%3Cscript%3E" title=`,
    )
  })

  test('stays within the requested size, and so does its picture', async () => {
    const small = await ask(`${publicUrl}/p/${poll.slug}`, '&maxwidth=320&maxheight=200')
    expect(small.data).toMatchObject({ width: 320, height: 200 })
    expect(small.data.thumbnail_url).toBeUndefined()
    const large = await ask(`${publicUrl}/p/${poll.slug}`, '&maxwidth=1200&maxheight=630')
    expect(large.data).toMatchObject({ width: 600, height: 540, thumbnail_url: expect.any(String) })
    for (const bad of ['0', '-1', 'x', '1.5', '']) {
      expect((await service.get(`/oembed?url=x&maxwidth=${bad}`)).status).toBe(422)
    }
  })

  test('is XML on request, with every text escaped', async () => {
    const hostile = await service.createPoll(brand)
    // Earlier versions stored titles with control characters.
    const title = '</title><x>&amp;\u0001"'
    await service.db.updateTable('polls').set({ title }).where('id', '=', hostile.id).execute()
    const url = `${service.service.url}/oembed?format=xml&url=${encodeURIComponent(`${publicUrl}/p/${hostile.shortId}`)}`
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8'])
    const xml = await answer.text()
    expect(xml).toStartWith('<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed><version>1.0</version>')
    expect(xml).toContain('<title>&lt;/title&gt;&lt;x&gt;&amp;amp;&quot;</title>')
    expect(xml).not.toContain('\u0001')
    expect(xml).toContain('<html>&lt;iframe src=&quot;')
  })

  test('answers only for pages of this service, in two formats', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const hidden = await service.createPoll(brand, { isPrivate: true })
    expect((await ask(`${publicUrl}/p/${hidden.shortId}`)).status).toBe(200)
    for (const url of [
      'https://elsewhere.example/p/tea',
      `https://elsewhere.example/?${publicUrl}/p/${poll.slug}`,
      `${publicUrl.replace('127.0.0.1', '127.0.0.1.elsewhere.example')}/p/${poll.slug}`,
      publicUrl.replace('//', '//user@elsewhere.example/'),
      `${publicUrl}/p/${draft.slug}`,
      `${publicUrl}/p/none`,
      `${publicUrl}/p/${poll.slug}/more`,
      `${publicUrl}/x/${poll.slug}`,
      publicUrl,
    ]) {
      expect([url, (await ask(url)).status]).toEqual([url, 404])
    }
    for (const format of ['yaml', 'JSON', '__proto__']) {
      const { status, body } = await service.get(`/oembed?url=${publicUrl}/p/${poll.slug}&format=${format}`)
      expect([status, body.error.code]).toEqual([501, 'FORMAT_NOT_SUPPORTED'])
    }
    expect((await service.get('/oembed')).status).toBe(422)
  })

  test.if(hasChromium)('has a frame that votes where it is pasted', async () => {
    const { data } = await ask(`${publicUrl}/p/${poll.shortId}`)
    const host = new HostSite(`default-src 'none'; frame-src ${publicUrl}; style-src 'unsafe-inline'`)
    host.body = data.html
    const browser = await openBrowser()
    const page = await browser.newPage()
    await page.goto(host.url)
    const frame = page.frameLocator('iframe')
    await frame.locator('[data-option="A"]').click()
    await frame.locator('.share').first().waitFor()
    const tall = await page.frames()[1]?.evaluate<number>('document.documentElement.scrollHeight')
    expect(tall).toBeLessThanOrEqual(data.height)
    await browser.close()
    await host.stop()
  })

  test.if(hasChromium)(
    'has a frame that votes in a sandbox without storage where the brand allows it, and forgets when it is loaded again',
    async () => {
      const asked = await service.createPoll(brand)
      const allowed = { token: brand.token, json: { embedStorage: 'ALLOW' } }
      await service.write('PATCH', 'brands/me/theme', allowed)
      const { data } = await ask(`${publicUrl}/p/${asked.shortId}`)
      const host = new HostSite('')
      host.body = data.html.replace('<iframe', '<iframe sandbox="allow-scripts"')
      const browser = await openBrowser()
      const page = await browser.newPage()
      for (const total of [1, 2]) {
        await page.goto(host.url)
        const frame = page.frameLocator('iframe')
        await frame.locator('[data-option="A"]').click()
        const tallies = () => service.get<{ tallies: { total: number } }>(`polls/${asked.slug}/tallies`)
        await eventually(async () => (await tallies()).body.data.tallies.total === total)
      }
      await service.write('PATCH', 'brands/me/theme', {
        token: brand.token,
        json: { embedOrigins: [host.url.slice(0, -1)] },
      })
      await page.goto(host.url)
      const refusal = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.frameLocator('iframe').locator('[data-option="A"]').click()
      expect((await refusal).status()).toBe(403)
      await browser.close()
      await host.stop()
    },
  )
})
