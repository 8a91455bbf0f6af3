import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { MINUTE } from '../src/base/clock.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { startTestService, type TestService } from './service.ts'

const locations = (xml: string): string[] => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url)

describe.each([...engines])('%s: sitemaps', (engine) => {
  let service: TestService
  let publicUrl: string
  beforeAll(async () => {
    service = await startTestService(engine)
    publicUrl = service.deps.config.publicUrl
  })
  afterAll(() => service.stop())

  /** All URLs found from robots.txt on, without caches. */
  async function crawl(): Promise<{ found: string[]; text: string }> {
    service.clock.advance(MINUTE)
    const robots = await service.get('/robots.txt')
    expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const [, start] = /^Sitemap: (.*)$/m.exec(robots.text) ?? []
    expect(start).toBe(`${publicUrl}/sitemap.xml`)
    const index = await service.get('/sitemap.xml')
    const texts: string[] = []
    for (const url of locations(index.text)) {
      const { status, text, headers } = await service.get(new URL(url).pathname)
      expect([url, status, headers.get('content-type')]).toEqual([url, 200, 'application/xml'])
      texts.push(text)
    }
    return { found: texts.flatMap(locations), text: texts.join('') }
  }

  test('list every public page once, with the time of its last change', async () => {
    expect((await crawl()).found).toEqual([])
    const brand = await service.createBrand()
    const quiet = await service.createBrand()
    const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
    const polls = {
      open: await service.createPoll(brand),
      closed: await service.createPoll(brand, { closesAt: at(1) }),
      scheduled: await service.createPoll(brand, { opensAt: at(10 * MINUTE) }),
      hidden: await service.createPoll(brand, { isPrivate: true }),
      draft: await service.createPoll(brand, { isDraft: true }),
      archived: await service.createPoll(brand),
      deleted: await service.createPoll(brand),
      quiet: await service.createPoll(quiet, { isPrivate: true }),
    }
    await service.write('PATCH', `brands/me/polls/${polls.archived.slug}`, {
      token: brand.token,
      json: { archived: true },
    })
    await service.write('DELETE', `brands/me/polls/${polls.deleted.slug}`, { token: brand.token })
    const listed = await createCampaign(service, brand, [polls.open])
    await createCampaign(service, brand, [polls.open], { isPublic: false })
    await createCampaign(service, brand, [polls.open], { state: 'draft' })
    const expected = (...shown: { shortId: string }[]) =>
      [
        ...shown.map(({ shortId }) => `${publicUrl}/p/${shortId}`),
        `${publicUrl}/c/${listed.campaignId}`,
        `${publicUrl}/b/${brand.slug}`,
      ].sort()
    const before = await crawl()
    expect(before.found.sort()).toEqual(expected(polls.open, polls.closed))
    const page = await (await fetch(`${service.service.url}/p/${polls.hidden.shortId}`)).text()
    expect(page).toContain('<meta name="robots" content="noindex">')
    service.clock.advance(10 * MINUTE)
    expect((await crawl()).found.sort()).toEqual(expected(polls.open, polls.closed, polls.scheduled))
    const json = { title: 'Edited?' }
    const reply = await service.write<{ updatedAt: string }>('PATCH', `brands/me/polls/${polls.open.slug}`, {
      token: brand.token,
      json,
    })
    expect((await crawl()).text).toContain(
      `<url><loc>${publicUrl}/p/${polls.open.shortId}</loc><lastmod>${reply.body.data.updatedAt}</lastmod></url>`,
    )
  })

  test('are split into parts, and each address is in one part', async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const { key: _, ...row } = await service.db
      .selectFrom('polls')
      .selectAll()
      .where('id', '=', poll.id)
      .executeTakeFirstOrThrow()
    await (engine === 'sqlite'
      ? sql`update sqlite_sequence set seq = 8999 where name = 'polls'`
      : sql`alter table polls alter column key restart with 9000`
    ).execute(service.db)
    const more = Array.from({ length: 2_500 }, (_, i) => ({
      ...row,
      id: randomUUID(),
      slug: `many-${i}`,
      short_id: `Many${String(i).padStart(8, '0')}`,
    }))
    while (more.length > 0) await service.db.insertInto('polls').values(more.splice(0, 250)).execute()
    const { found } = await crawl()
    const many = found.filter((url) => url.includes('/p/Many'))
    expect([many.length, new Set(many).size]).toEqual([2_500, 2_500])
    const sizes: number[] = []
    for (const number of [1, 2]) {
      const { text } = await service.get(`/sitemap/polls-${number}.xml`)
      sizes.push(locations(text).filter((url) => url.includes('/p/Many')).length)
    }
    expect(sizes).toEqual([1_001, 1_499])
  })

  test('that do not exist are 404, and malformed numbers are refused', async () => {
    const status = async (file: string) => (await service.get(`/sitemap/${file}`)).status
    expect([await status('polls-3.xml'), await status('brands-99999.xml')]).toEqual([404, 404])
    for (const file of [
      'polls-0.xml',
      'polls-100000.xml',
      'tokens-1.xml',
      'polls-1',
      'polls-1e1.xml',
      'xpolls-1.xml',
    ]) {
      expect([file, await status(file)]).toEqual([file, 422])
    }
  })
})
