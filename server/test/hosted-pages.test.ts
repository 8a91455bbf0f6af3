import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LANGS } from '../../embed/src/words.ts'
import { MOST_REVISIONS } from '../src/features/polls/snapshots/revisions.ts'
import { WORDS } from '../src/words/words.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const NASTY = '<script>alert(1)</script>'
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;'

describe.each([...engines])('%s: around the polls of hosted pages', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  const pageOf = async (path: string) => {
    const answer = await fetch(service.service.url + path)
    return { status: answer.status, text: await answer.text(), policy: answer.headers.get('content-security-policy') }
  }
  const patch = (poll: PollData, json: object) =>
    service.write<PollData>('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json })
  const titlesIn = (text: string) => [...text.matchAll(/class="card[^"]*" data-poll="([^"]+)"/g)].map(([, id]) => id)
  const rowsOf = () => service.db.selectFrom('poll_revisions').selectAll().execute()

  describe('earlier texts', () => {
    let poll: PollData
    beforeAll(async () => {
      brand = await service.createBrand()
      poll = await service.createPoll(brand, { title: 'First?' })
    })

    test('are kept from the first vote on, and shown newest first, in each language, without a script', async () => {
      await patch(poll, { title: 'Before any vote?' })
      expect((await pageOf(`/p/${poll.shortId}`)).text).not.toContain('class="revisions"')
      await service.vote(poll.slug, 'A')
      await patch(poll, { tags: ['unseen'] })
      expect(await rowsOf()).toEqual([])
      await patch(poll, { title: NASTY, optionA: { label: '"><i>' } })
      const { body } = await patch(poll, { optionB: { label: 'Chai' } })
      for (const lang of LANGS) {
        const { text } = await pageOf(`/p/${poll.shortId}?lang=${lang}`)
        const [, list = ''] =
          /<details class="revisions"><summary>[^<]+<\/summary><ol id="revisions">(.*?)<\/ol>/.exec(text) ?? []
        expect(text).toContain(`<summary>${WORDS[lang].pages.edited}</summary>`)
        expect([...list.matchAll(/<b dir="auto">(.*?)<\/b>/g)].map(([, title]) => title)).toEqual([
          ESCAPED,
          'Before any vote?',
        ])
        expect(list).toContain('<bdi>&quot;&gt;&lt;i&gt;</bdi> · <bdi>Coffee</bdi>')
        expect(list).toContain(`<time datetime="${body.data['revisedAt']}">`)
      }
      const { data } = (await service.get<PollData>(`polls/${poll.slug}`)).body
      expect(JSON.stringify(data)).not.toContain('Before any vote')
      for (const path of ['embed/poll', 'rest/v1/polls'])
        expect((await pageOf(`/${path}/${poll.shortId}`)).text).not.toContain('Before any vote')
    })

    test('are the newest fifty, and end with the poll', async () => {
      for (let i = 0; i <= MOST_REVISIONS; i++) await patch(poll, { title: `Number ${i}?` })
      const kept = await rowsOf()
      expect(kept).toHaveLength(MOST_REVISIONS)
      expect(kept.map(({ title }) => title)).not.toContain('Before any vote?')
      expect(kept.map(({ title }) => title)).toContain(`Number ${MOST_REVISIONS - 1}?`)
      await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
      expect(await rowsOf()).toEqual([])
    })
  })

  test('take utm_source where their brand has declared it, and a source of their own first', async () => {
    brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const other = await service.createPoll(await service.createBrand())
    const sourceOf = async (path: string) => / source="([^"]*)"/.exec((await pageOf(path)).text)?.[1]
    expect(await sourceOf(`/p/${poll.shortId}?utm_source=newsletter`)).toBeUndefined()
    await service.write('POST', 'brands/me/source-names', { token: brand.token, json: { name: 'newsletter' } })
    for (const path of [`/p/${poll.shortId}`, `/b/${brand.slug}`])
      expect(await sourceOf(`${path}?utm_source=newsletter`)).toBe('newsletter')
    expect(await sourceOf(`/p/${poll.shortId}?utm_source=newsletter&source=poster`)).toBe('poster')
    expect(await sourceOf(`/p/${poll.shortId}?utm_source=Newsletter`)).toBeUndefined()
    // A frame belongs to the page around it, and the name to its brand alone.
    expect(await sourceOf(`/embed/poll/${poll.shortId}?utm_source=newsletter`)).toBeUndefined()
    expect(await sourceOf(`/p/${other.shortId}?utm_source=newsletter`)).toBeUndefined()
    expect(await sourceOf(`/embed/poll/${poll.shortId}?source=partner`)).toBe('partner')
    expect(await sourceOf(`/p/${poll.shortId}?source=News%20Letter`)).toBeUndefined()
    await service.write('DELETE', 'brands/me/source-names/newsletter', { token: brand.token })
    expect(await sourceOf(`/p/${poll.shortId}?utm_source=newsletter`)).toBeUndefined()
  })

  test('a poll and a campaign name their brand once, and lead to its other open public polls', async () => {
    brand = await service.createBrand()
    await service.write('PATCH', 'brands/me', { token: brand.token, json: { name: NASTY } })
    const own = await service.createPoll(brand, { title: 'Own?' })
    await service.createPoll(brand, { title: 'Secret?', isPrivate: true })
    await service.createPoll(brand, { title: 'Draft?', isDraft: true })
    await service.createPoll(brand, { title: 'Later?', opensAt: '2099-01-01T00:00:00.000Z' })
    expect((await pageOf(`/p/${own.shortId}`)).text).not.toContain('<aside')
    const other = await service.createPoll(brand, { title: `Other ${NASTY}?` })
    const described = { description: 'Two <b>questions</b>.' }
    const { campaignId } = await createCampaign(service, brand, [own], described as never)
    for (const path of [`/p/${own.shortId}`, `/c/${campaignId}`]) {
      const { text, policy } = await pageOf(path)
      expect(text).toContain(
        `<header class="masthead"><a href="/b/${brand.slug}"><h1 dir="auto">${ESCAPED}</h1></a></header>`,
      )
      expect(text).not.toContain('<p class="brand"')
      const [aside = ''] = /<aside.*?<\/aside>/.exec(text) ?? []
      expect([...aside.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
        `/p/${other.shortId}`,
        `/b/${brand.slug}`,
      ])
      expect(aside).toContain(`Other ${ESCAPED}?`)
      expect(policy).toContain("form-action 'none'")
      const bare = await pageOf(`${path}?hideBrand=true`)
      expect(bare.text).not.toContain('masthead"')
    }
    for (const path of [`/c/${campaignId}`, `/embed/campaign/${campaignId}`])
      expect((await pageOf(path)).text).toContain(
        '</h2><p class="steps-about" dir="auto">Two &lt;b&gt;questions&lt;/b&gt;.</p><p class="steps-place">',
      )
    expect((await pageOf(`/embed/poll/${own.shortId}`)).text).not.toContain('<aside')
    await patch(other, { archived: true })
    expect((await pageOf(`/p/${own.shortId}`)).text).not.toContain('<aside')
  })

  describe("a brand's page", () => {
    let polls: PollData[]
    beforeAll(async () => {
      brand = await service.createBrand()
      polls = []
      for (let i = 0; i < 25; i++) {
        const tags = [i % 2 ? 'Odd' : 'even', ...(i === 7 ? [NASTY] : [])]
        polls.push(await service.createPoll(brand, { title: `Café number ${i}?`, tags }))
      }
      await service.createPoll(brand, { title: 'Café in private?', tags: ['Odd'], isPrivate: true })
    })

    test('leads with the newest, or the open public poll with the most votes, and shows each once', async () => {
      const path = `/b/${brand.slug}`
      const first = await pageOf(path)
      expect(first.text).toContain(`<div class="card is-featured" data-poll="${polls[24]?.id}"`)
      await service.vote(polls[3]?.slug ?? '', 'A')
      await service.service.runDue()
      service.clock.advance(61_000)
      const { text, policy } = await pageOf(path)
      const shown = titlesIn(text)
      expect(shown[0]).toBe(polls[3]?.id)
      expect(new Set(shown).size).toBe(shown.length)
      expect(text).toContain(`<h2 class="featured">${WORDS.en.pages.featured}</h2>`)
      expect(policy).toContain("form-action 'self'")
      await patch(polls[3] as PollData, { archived: true })
      expect(titlesIn((await pageOf(path)).text)).not.toContain(polls[3]?.id)
      await patch(polls[3] as PollData, { archived: false })
    })

    test('finds words without case and accents, and tags, page by page, without a script', async () => {
      const walk = async (query: string) => {
        const found: unknown[] = []
        let path: string | undefined = `/b/${brand.slug}${query}`
        while (path) {
          const { text } = await pageOf(path)
          found.push(...titlesIn(text))
          const [, href] = /<p class="way-on"><a href="([^"]+)"/.exec(text) ?? []
          path = href && `/b/${brand.slug}${href.replaceAll('&amp;', '&')}`
        }
        return found
      }
      const newest = polls.map(({ id }) => id).reverse()
      expect(await walk('?q=CAFE')).toEqual(newest)
      expect(await walk('?q=cafe+21')).toEqual([polls[21]?.id])
      expect(await walk('?tag=odd')).toEqual(newest.filter((_, i) => i % 2 === 1))
      expect(await walk('?tag=odd&q=number+1')).toEqual([21, 19, 17, 15, 13, 11, 7, 1].map((i) => polls[i]?.id))
      const [, next = ''] =
        /<noscript><p class="way-on"><a href="([^"]+)"/.exec((await pageOf(`/b/${brand.slug}`)).text) ?? []
      expect(await walk(next)).toEqual(newest.slice(20))
    })

    test('says when nothing is found, and repeats what was asked as text alone', async () => {
      for (const q of ['<img src=x onerror=alert(2)>', '%', "' or 1=1", 'x'.repeat(200)]) {
        const { status, text } = await pageOf(`/b/${brand.slug}?q=${encodeURIComponent(q)}&lang=de`)
        expect([q, status, titlesIn(text)]).toEqual([q, 200, []])
        expect(text).toContain(`<p class="none" role="status">${WORDS.de.pages.nothing}</p>`)
        expect(text).not.toContain('<img src=x')
        expect(text).toContain('<meta name="robots" content="noindex">')
        expect(text).toContain('<input type="hidden" name="lang" value="de">')
      }
      for (const query of ['q=%00', 'q=%E2%80%AE', 'tag=%00', 'cursor=nonsense', `q=${'x'.repeat(201)}`]) {
        const { status, text } = await pageOf(`/b/${brand.slug}?${query}`)
        expect([query, status, titlesIn(text).length >= 20]).toEqual([query, 200, true])
      }
      const { text } = await pageOf(`/b/${brand.slug}?tag=${encodeURIComponent(NASTY)}`)
      expect(titlesIn(text)).toEqual([polls[7]?.id])
      expect(text).toContain(`aria-current="true"><bdi>${ESCAPED}</bdi> <small>1</small>`)
      expect(text).toContain('<bdi>even</bdi> <small>13</small>')
    })
  })
})
