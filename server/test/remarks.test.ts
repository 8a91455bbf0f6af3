import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGS, wordsOf } from '../../embed/src/words.ts'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, EmbedSite, untilTold } from './embed-site.ts'
import { eventually } from './eventually.ts'
import type { PollData } from './service.ts'

const ROOT = "document.querySelector('tossup-poll').shadowRoot"
/** Every text that the live regions of the poll get, and every text of the line below the result. */
const LISTEN = `(() => {
  const root = ${ROOT}
  const [spoken, line] = ['.spoken[role="status"]', '.remark'].map((part) => root.querySelector(part))
  window.heard = []
  window.read = []
  new MutationObserver(() => window.heard.push(spoken.textContent)).observe(spoken, { childList: true, characterData: true, subtree: true })
  new MutationObserver(() => window.read.push(line.textContent)).observe(line, { childList: true, characterData: true, subtree: true })
})()`
const LIVE = `[...${ROOT}.querySelectorAll('[role="status"], [role="alert"], [aria-live]')].map((part) => part.textContent).join('|')`
const FOCUSED = `${ROOT}.activeElement?.dataset.option`

describe.if(hasChromium)('the words below a result', () => {
  let site: EmbedSite
  beforeAll(async () => {
    site = await EmbedSite.open({ settings: { VOTES_PER_MINUTE: '1000' } })
  }, 60_000)
  afterAll(() => site.close())

  const remark = (page: Page) => page.locator('.remark').textContent()
  const vote = (poll: PollData, ...options: ('A' | 'B')[]) =>
    Promise.all(options.map((option) => site.service.vote(poll.slug, option)))
  async function openPoll(poll: PollData): Promise<Page> {
    await site.renew()
    const { page } = await site.open(`/p/${poll.shortId}`)
    await page.locator('.is-prepared .figure').first().waitFor({ state: 'attached' })
    return page
  }

  test('are read out once, with the result, the own side and the way on; the focus stays and nothing moves', async () => {
    const page = await openPoll(await site.createPoll())
    await page.evaluate(LISTEN)
    const before = await page.locator('.poll').boundingBox()
    await page.locator(CHOICE.B).press('Enter')
    await untilTold(page, 'voted')
    await page.locator('.remark').getByText('You’re the first. Send it to a friend?').waitFor()
    await page.getByRole('button', { name: 'Share my answer' }).waitFor()
    expect(await page.evaluate<string[]>('window.heard')).toEqual([
      'Tea 0%, Coffee 100%, 1 vote. You’re the first. Send it to a friend? Your answer: Coffee. Below: Share my answer',
    ])
    expect((await page.evaluate<string>(LIVE)).split('You’re the first')).toHaveLength(2)
    expect(await page.locator('.remark').ariaSnapshot()).not.toContain('status')
    expect(await page.evaluate<string>(FOCUSED)).toBe('B')
    expect(await page.locator(CHOICE.B).getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator(CHOICE.A).getAttribute('aria-pressed')).toBe('false')
    expect(await page.locator('.poll').boundingBox()).toEqual(before)
    await page.reload()
    await page.locator('.remark').getByText('You’re the first. Send it to a friend?').waitFor()
    await page.getByRole('button', { name: 'Share my answer' }).waitFor()
    expect(await page.locator('.spoken[role="status"]').textContent()).toBe('')
  }, 60_000)

  test('go when later votes make them false, and neither come back nor change', async () => {
    const poll = await site.createPoll()
    await vote(poll, 'B')
    const page = await openPoll(poll)
    await page.evaluate(LISTEN)
    await page.locator(CHOICE.A).click()
    await page.locator('.remark').getByText('Dead heat.').waitFor()
    await vote(poll, 'B')
    await eventually(async () => (await page.locator('.status').textContent())?.includes('3 votes'))
    expect(await remark(page)).toBe('')
    await vote(poll, 'A')
    await eventually(async () => (await page.locator('.status').textContent())?.includes('4 votes'))
    expect(await remark(page)).toBe('')
    expect(await page.evaluate<string[]>('window.read')).toEqual(['Dead heat.', ''])
    expect(await page.evaluate<string[]>('window.heard')).toHaveLength(1)
  }, 60_000)

  test('are none where results are hidden: then the thanks and the own side are read out', async () => {
    const poll = await site.createPoll({ resultsVisibility: 'never' })
    await site.renew()
    const { page } = await site.open(`/p/${poll.shortId}`)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await page.getByRole('button', { name: 'Share my answer' }).waitFor()
    expect(await remark(page)).toBe('')
    expect(await page.locator('.spoken[role="status"]').textContent()).toBe(
      'Thanks for voting. Your answer: Tea. Below: Share my answer',
    )
    expect(await page.locator('.or').getAttribute('class')).toBe('or')
  }, 60_000)

  test('fit one line on a phone in each language, beside a button that has its word', async () => {
    const poll = await site.createPoll()
    const cut: string[] = []
    for (const lang of LANGS) {
      await site.renew({ viewport: { width: 390, height: 800 } })
      const { page: phone } = await site.open(`/p/${poll.shortId}?lang=${lang}`)
      const { amongFew, onlyOne, roundCount, firstVote, shareAnswer } = wordsOf(lang)
      await phone.locator(CHOICE.A).click()
      await phone.locator('.share-answer .say').getByText(shareAnswer).waitFor()
      for (const words of [amongFew, onlyOne, roundCount.replace('#', '10,000 votes'), firstVote]) {
        const [seen, whole] = await phone.evaluate<[number, number]>(`(() => {
          const line = ${ROOT}.querySelector('.remark')
          const own = line.querySelector('em') ?? line.appendChild(document.createElement('em'))
          own.textContent = ${JSON.stringify(words)}
          own.style.display = 'block'
          return [own.clientWidth, own.scrollWidth]
        })()`)
        if (whole > seen) cut.push(`${lang} ${words} ${whole} > ${seen}`)
      }
      const [seen, whole] = await phone.evaluate<[number, number]>(
        `(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(${ROOT}.querySelector('.share-answer .say'))`,
      )
      if (whole > seen) cut.push(`${lang} ${shareAnswer} ${whole} > ${seen}`)
    }
    expect(cut).toEqual([])
  }, 120_000)

  test('neither praise nor judge, and have no exclamation mark', () => {
    for (const lang of LANGS) {
      const { firstVote, roundCount, deadHeat, oneApart, onlyOne, amongFew, amongMost, yourAnswer, below } =
        wordsOf(lang)
      for (const words of [firstVote, deadHeat, oneApart, onlyOne, amongFew, amongMost])
        expect(words).not.toContain('#')
      for (const words of [roundCount, yourAnswer, below]) expect(words.split('#')).toHaveLength(2)
      expect([firstVote, roundCount, deadHeat, oneApart, onlyOne, amongFew, amongMost].join('')).not.toMatch(/[!！¡]/)
    }
  })
})
