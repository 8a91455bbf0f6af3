import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { LANGS } from '../../embed/src/words.ts'
import { hasChromium } from '../../embed/test/browser.ts'
import { WORDS } from '../src/words/words.ts'
import { EmbedSite } from './embed-site.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const CAMPAIGN = '0d5f5a0e-1111-4222-8333-444455556666'
const PAGES = [
  ['poll', '/p/not-there', '/embed/poll/not-there'],
  ['campaign', `/c/${CAMPAIGN}`, `/embed/campaign/${CAMPAIGN}`],
  ['feed', '/b/not-there', '/embed/brand/not-there'],
] as const

describe('the page of what is missing', () => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const pageOf = async (path: string) => {
    const answer = await service.get(path)
    return { status: answer.status, text: answer.text, headers: answer.headers }
  }

  test.each(PAGES)('says in each language what is missing, what to do and where to go: %s', async (what, path) => {
    const titles = new Set<string>()
    for (const lang of LANGS) {
      const { status, text } = await pageOf(`${path}?lang=${lang}`)
      const { gone, home } = WORDS[lang].errors
      expect([lang, status]).toEqual([lang, 404])
      expect(text).toStartWith(`<!doctype html><html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"`)
      expect(text).toContain(`<h1>${gone[what]}</h1><p>${gone.advice}</p><p><a href="/">${home}</a></p>`)
      expect(text).toContain(`<title>${gone[what]}</title>`)
      titles.add(gone[what])
    }
    expect(titles.size).toBe(LANGS.length)
  })

  test.each(PAGES)(
    'has in a frame no way on, because the page around it is another site: %s',
    async (what, _, path) => {
      const { status, text } = await pageOf(`${path}?theme=dark`)
      expect(status).toBe(404)
      expect(text).toContain('data-scheme="dark" data-kind="frame"')
      expect(text).toContain(`<h1>${WORDS.en.errors.gone[what]}</h1>`)
      expect(text).not.toContain('<a ')
    },
  )

  const removed = async (fields: Record<string, unknown>) => {
    const poll = await service.createPoll(brand, fields)
    expect((await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })).status).toBe(204)
    return poll
  }

  test('leads to the brand of a poll that was public, and of a private one by its link alone', async () => {
    await service.write('PATCH', 'brands/me', { token: brand.token, json: { name: 'Tea & <b>Co</b>' } })
    const way = `<a href="/b/${brand.slug}">More from Tea &amp; &lt;b&gt;Co&lt;/b&gt;</a>`
    const open = await removed({ title: 'Soon deleted?' })
    const secret = await removed({ title: 'Soon deleted?', isPrivate: true })
    for (const path of [open.shortId, open.slug, secret.shortId])
      expect((await pageOf(`/p/${path}`)).text).toContain(way)
    expect((await pageOf(`/p/${secret.slug}`)).text).not.toContain('/b/')
    expect((await pageOf(`/embed/poll/${open.shortId}`)).text).not.toContain('/b/')
  })

  test('does not tell a draft, also a deleted one, from a poll that never was', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const deleted = await removed({ isDraft: true })
    const never = await pageOf('/p/AAAAAAAAAAAA')
    const told = ({ shortId }: PollData) => pageOf(`/p/${shortId}`)
    for (const page of [await told(draft), await told(deleted), await pageOf(`/p/${draft.shortId}?preview=a.b`)]) {
      expect([page.status, page.text]).toEqual([404, never.text])
    }
    expect(never.headers.get('cache-control')).toBe('no-store')
  })
})

describe.if(hasChromium)('the page of what is missing, in a browser', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open()
  })
  afterAll(() => site.close())

  const styleOf = (selector: string, property: string) =>
    `getComputedStyle(document.querySelector('${selector}'))['${property}']`

  test('has the ground of a brand without a theme, in both schemes, and the accent of its address', async () => {
    const poll = await site.createPoll()
    for (const colorScheme of ['light', 'dark'] as const) {
      await site.renew({ colorScheme })
      const { page: there } = await site.open(`/p/${poll.shortId}`)
      const { page, complaints } = await site.open('/p/not-there')
      for (const property of ['backgroundColor', 'color']) {
        const expected = await there.evaluate<string>(styleOf('body', property))
        expect(await page.evaluate<string>(styleOf('body', property))).toBe(expected)
      }
      expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
    }
    const { page } = await site.open('/p/not-there?accent=00ffaa&theme=light')
    const { page: plain } = await site.open('/p/not-there?theme=light')
    const accent = styleOf('.status b', 'backgroundColor')
    expect(await page.evaluate<string>(accent)).not.toBe(await plain.evaluate<string>(accent))
  })

  test.each([
    [320, 'ar'],
    [320, 'uk'],
    [1440, 'de'],
  ])('fits on %i pixels, in %s, and its way leads to the start page', async (width, lang) => {
    await site.renew({ viewport: { width, height: 568 } })
    const { page } = await site.open(`/p/not-there?lang=${lang}`)
    const isLarger =
      'document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight'
    expect(await page.evaluate<boolean>(isLarger)).toBe(false)
    await page.getByRole('link').click()
    await page.waitForURL(`${site.url}/`)
  })
})
