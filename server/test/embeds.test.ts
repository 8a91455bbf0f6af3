import { describe, expect, test } from 'bun:test'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, told, untilTold } from './embed-site.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

describe.if(hasChromium)('a poll in a page', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({}, async (opened) => {
    site = opened
    poll = await site.createPoll()
  })

  test('by script tag, on another origin under a strict CSP, votes and shows the counts without a violation', async () => {
    const { page, complaints } = await site.openWith(`<tossup-poll poll="${poll.shortId}"></tossup-poll>`)
    await page.locator(CHOICE.B).click()
    await untilTold(page, 'voted')
    expect(await page.locator('.share').allTextContents()).toEqual(['0%', '100%'])
    expect(await site.tallies(poll)).toMatchObject({ optionA: 0, optionB: 1, total: 1 })
    expect(await page.locator(CHOICE.B).getAttribute('aria-pressed')).toBe('true')
    expect((await told(page)).map(({ type, detail }) => [type, detail['poll'], detail['option']])).toEqual([
      ['ready', poll.shortId, undefined],
      ['voted', poll.shortId, 'B'],
    ])
    expect(complaints).toEqual([])

    // Another visitor's vote appears without a reload.
    await site.service.vote(poll.slug, 'A')
    await page.getByText('50%').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
  })

  // spec: 5-2
  test('remembers the vote of this device, in every embed of the same origin', async () => {
    const { page } = await site.open(`/p/${poll.shortId}`)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    await page.goto(`${site.url}/embed/poll/${poll.shortId}`)
    await page.locator('[data-option="A"][aria-pressed="true"]').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('hides hidden results, and shows them to the voter alone under after_vote', async () => {
    const hidden = await site.createPoll({ resultsVisibility: 'after_vote' })
    await site.service.vote(hidden.slug, 'B')
    const { page } = await site.open(`/p/${hidden.shortId}`)
    expect(await page.getByText('Vote to see the results').count()).toBe(1)
    await page.locator(CHOICE.A).click()
    await untilTold(page, 'voted')
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
    await page.reload()
    await page.locator('.share').first().waitFor()
    expect(await page.locator('.share').allTextContents()).toEqual(['50%', '50%'])
  })

  test('uses the language of its attribute, or that of the page around it', async () => {
    const { page, complaints } = await site.openWith(
      `<div lang="uk"><tossup-poll poll="${poll.shortId}"></tossup-poll></div><tossup-poll poll="${poll.shortId}" lang="ar-EG"></tossup-poll>`,
    )
    await page.getByText('Будьте першими').waitFor()
    await page.getByText('كن أول من يصوّت').waitFor()
    expect(await page.locator('article').last().getAttribute('dir')).toBe('rtl')
    expect(complaints).toEqual([])
    const answer = await fetch(`${site.url}/p/${poll.shortId}`, { headers: { 'Accept-Language': 'ja' } })
    expect(answer.headers.get('vary')).toContain('Accept-Language')
    expect(await answer.text()).toContain('<html lang="ja"')
  })

  test('looks as its attributes say, and follows their changes', async () => {
    const { page } = await site.openWith(
      `<tossup-poll poll="${poll.shortId}" theme="dark" accent="ff0000" hidetitle hidebrand></tossup-poll>`,
    )
    await page.locator(CHOICE.A).waitFor()
    const article = page.locator('article')
    expect(await article.getAttribute('data-scheme')).toBe('dark')
    expect(await page.locator('.brand').count()).toBe(0)
    expect(await page.locator('.title.out-of-sight').count()).toBe(1)
    await page.evaluate("document.querySelector('tossup-poll').setAttribute('theme', 'light')")
    await page.locator('article[data-scheme="light"]').waitFor()
  })

  test('shows a message for a poll that does not exist, in the page and in a frame', async () => {
    const { page } = await site.openWith(`<tossup-poll poll="AAAAAAAAAAAA"></tossup-poll>`)
    await page.getByText('This poll isn’t available.').waitFor()
    expect(await told(page)).toMatchObject([{ type: 'error', detail: { code: 'NOT_FOUND' } }])
    const answer = await fetch(`${site.url}/embed/poll/AAAAAAAAAAAA?lang=de`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await answer.text()).toContain('<h1>Wir finden diese Umfrage nicht</h1>')
  })
})
