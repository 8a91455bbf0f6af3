import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LANGS, wordsOf } from '../../embed/src/words.ts'
import { WORDS } from '../src/words/words.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll, fromNow, HOUR, identifiersOf, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

const NASTY = '</script><script>alert(1)</script>'

describe.each([...engines])('%s: a poll on a stage', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const open = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(service.service.url + path, { headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const givenIn = (text: string) =>
    JSON.parse(/<script type="application\/json" id="given">(.*?)<\/script>/.exec(text)?.[1] ?? 'null')

  test('is a page under the policy of other pages, which no search engine keeps and no cookie follows', async () => {
    const poll = await service.createPoll(brand, { title: NASTY, optionA: { label: '"><i>' } })
    await service.vote(poll.slug, 'A')
    for (const name of identifiersOf(poll)) {
      const { status, headers, text } = await open(`/p/${name}/stage`)
      expect(status).toBe(200)
      expect(text).toContain('<meta name="robots" content="noindex">')
      expect(text).not.toContain(NASTY)
      expect(text).toContain(`src="/p/${poll.slug}/qr.svg?size=1024"`)
      expect(text).toContain('<span class="share">100%</span>')
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('vary')).toContain('Accept-Language')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self';")
      expect(policy).not.toContain('unsafe')
      const again = await open(`/p/${name}/stage`, { 'If-None-Match': headers.get('etag') ?? '' })
      expect(again.status).toBe(304)
    }
  })

  test('speaks each language, and a parameter counts before the browser', async () => {
    const poll = await service.createPoll(brand)
    for (const lang of LANGS) {
      const { text, headers } = await open(`/p/${poll.slug}/stage?lang=${lang}`, { 'Accept-Language': 'ja' })
      expect(text).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"`)
      const { scan, fullScreen, hideResults } = WORDS[lang].stage
      for (const words of [scan, fullScreen, hideResults, wordsOf(lang).beFirst]) expect(text).toContain(words)
      expect(headers.get('vary')).not.toContain('Accept-Language')
      if (lang !== 'en') expect([scan, fullScreen, hideResults]).not.toContain(WORDS.en.stage.scan)
    }
  })

  test.each(['after_vote', 'after_close', 'never'])('hides results that are %s, byte for byte', async (visibility) => {
    const poll = await service.createPoll(brand, { resultsVisibility: visibility })
    const before = await open(`/p/${poll.slug}/stage`)
    for (let i = 0; i < 3; i++) await service.vote(poll.slug, 'A')
    const after = await open(`/p/${poll.slug}/stage`)
    expect(after.text).toBe(before.text)
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(givenIn(after.text).polls[0].tallies).toEqual({ optionA: 0, optionB: 0, total: 0, hidden: true })
    await patchPoll(service, brand, poll.slug, { closesAt: fromNow(-HOUR) })
    const closed = await open(`/p/${poll.slug}/stage`)
    expect(closed.text.includes('<span class="share">100%</span>')).toBe(visibility === 'after_close')
  })

  test('says of each state what it is', async () => {
    const soon = await service.createPoll(brand, { opensAt: fromNow(HOUR) })
    expect((await open(`/p/${soon.slug}/stage`)).text).toContain('Opens <time')
    const tie = await service.createPoll(brand)
    for (const option of ['A', 'B'] as const) await service.vote(tie.slug, option)
    await patchPoll(service, brand, tie.slug, { closesAt: fromNow(-HOUR) })
    const { text } = await open(`/p/${tie.slug}/stage`)
    expect(text).toContain('Closed · A tie · 2 votes')
    expect(text).not.toContain('class="winner"')
    expect(text).not.toContain('class="code"')
    expect((await open(`/p/${tie.slug}/stage?results=hidden`)).text).toContain('Closed · 2 votes')
    const won = await service.createPoll(brand)
    await service.vote(won.slug, 'B')
    await patchPoll(service, brand, won.slug, { closesAt: fromNow(-HOUR) })
    expect((await open(`/p/${won.slug}/stage`)).text).toContain('Coffee</span><span class="winner">Winner</span>')
    expect((await open(`/p/${won.slug}/stage?results=hidden`)).text).not.toContain('class="winner"')
  })

  test('of a campaign has its public polls in order and begins at the first that is open', async () => {
    const polls = await Promise.all(['One?', 'Two?', 'Three?'].map((title) => service.createPoll(brand, { title })))
    const [first, second, third] = polls.map(({ slug }) => slug) as [string, string, string]
    const { campaignId } = await createCampaign(service, brand, polls)
    await patchPoll(service, brand, first, { closesAt: fromNow(-HOUR) })
    const { status, text } = await open(`/c/${campaignId}/stage`)
    expect(status).toBe(200)
    expect(text).toContain('<h1 class="title" dir="auto" aria-live="polite">Two?</h1>')
    expect(text).toContain('2 / 3')
    // Who scans the code once votes on each poll within the campaign; the address to type is that of the poll.
    expect(text).toContain(`src="/c/${campaignId}/qr.svg?size=1024"`)
    expect(text).toContain(`/p/${second}</p>`)
    const given = givenIn(text)
    expect(given.polls.map(({ slug }: { slug: string }) => slug)).toEqual([first, second, third])
    for (const slug of [first, second, third]) await patchPoll(service, brand, slug, { archived: true })
    expect((await open(`/c/${campaignId}/stage`)).text).toContain('No polls yet')
  })

  test('is missing where the page is missing', async () => {
    const draft = await service.createPoll(brand, { isDraft: true })
    const gone = await service.createPoll(brand)
    await deletePoll(service, brand, gone.slug)
    for (const path of [`/p/${draft.slug}`, `/p/${gone.slug}`, '/p/never-was', '/p/no%20name', '/c/never-was']) {
      const { status, headers } = await open(`${path}/stage`)
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('ignores parameters that it does not know', async () => {
    const poll = await service.createPoll(brand)
    const plain = await open(`/p/${poll.slug}/stage`)
    for (const query of ['ground=blue', 'results=x', 'ground=', 'ground=NONE'])
      expect((await open(`/p/${poll.slug}/stage?${query}`)).text).toBe(plain.text)
    expect((await open(`/p/${poll.slug}/stage?ground=none`)).text).toContain('data-ground="none"')
    expect((await open(`/p/${poll.slug}/stage?hideBrand`)).text).not.toContain('class="brand"')
  })
})
