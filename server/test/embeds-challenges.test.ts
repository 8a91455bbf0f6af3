import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, told, tryAgain, untilTold } from './embed-site.ts'
import type { PollData } from './service.ts'
import { withEmbedSite } from './with-embed-site.ts'

const SOLVER = '**/embed/solve.js'

describe.if(hasChromium)('a poll that asks for a challenge', () => {
  let site: EmbedSite
  let poll: PollData
  withEmbedSite({}, async (opened) => {
    site = opened
    poll = await site.createPoll({ challenge: 'always' })
  })

  const markup = () => `<tossup-poll poll="${poll.shortId}"></tossup-poll>`

  /** The solver's requests, and the workers that were started. */
  function watch(page: Page): { solvers: string[]; workers: string[] } {
    const seen = { solvers: [] as string[], workers: [] as string[] }
    page.on('request', (request) => {
      if (request.url().endsWith('/embed/solve.js')) seen.solvers.push(request.url())
    })
    page.on('worker', (worker) => seen.workers.push(worker.url()))
    return seen
  }

  async function voteOn(page: Page): Promise<void> {
    await page.locator(CHOICE.A).click()
    expect((await untilTold(page, 'voted')).detail).toMatchObject({ option: 'A' })
    await page.locator('article[data-state="voted results"]').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  }

  test('takes a vote in a page of another origin, whose solver is loaded only then', async () => {
    const { page, complaints } = await site.openWith(markup())
    const seen = watch(page)
    await page.locator(CHOICE.A).waitFor()
    expect(seen.solvers).toEqual([])
    await voteOn(page)
    expect(seen.solvers.length).toBeGreaterThan(0)
    expect((await told(page)).map(({ type }) => type)).toEqual(['ready', 'voted'])
    expect(complaints.filter((complaint) => !/403|worker/i.test(complaint))).toEqual([])
  })

  test.each(['/p/', '/embed/poll/'])(
    'takes a vote on our own page %s, in a worker that its policy allows',
    async (path) => {
      const { page, complaints } = await site.open(`${path}${poll.shortId}`)
      const seen = watch(page)
      await voteOn(page)
      expect(seen.workers).toEqual([`${site.url}/embed/solve.js`])
      expect(complaints.filter((complaint) => !complaint.includes('403'))).toEqual([])
    },
  )

  test('keeps the vote while the solver cannot be loaded, and sends it when it can', async () => {
    const { page } = await site.openWith(markup())
    await page.route(SOLVER, (route) => route.abort())
    await page.locator(CHOICE.A).click()
    await page.getByRole('alert').getByText('not sent yet').waitFor()
    expect((await told(page)).at(-1)).toMatchObject({ type: 'error', detail: { code: 'CHALLENGE_REQUIRED' } })
    expect(await site.tallies(poll)).toMatchObject({ total: 0 })
    await page.unroute(SOLVER)
    await page.reload()
    await tryAgain(page)
    await page.locator('article[data-state="voted results"]').waitFor()
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('takes a vote that was kept without a network', async () => {
    const { page } = await site.openWith(markup())
    await page.locator(CHOICE.A).waitFor()
    await site.context.setOffline(true)
    await page.locator(CHOICE.A).click()
    await page.getByText('You’re offline. Your vote is saved').waitFor()
    await site.context.setOffline(false)
    await untilTold(page, 'voted')
    expect(await site.tallies(poll)).toMatchObject({ optionA: 1, total: 1 })
  })

  test('loads no solver where no challenge is asked for', async () => {
    poll = await site.createPoll({ challenge: 'adaptive' })
    const { page } = await site.openWith(markup())
    const seen = watch(page)
    await voteOn(page)
    expect(seen).toEqual({ solvers: [], workers: [] })
  })
})
