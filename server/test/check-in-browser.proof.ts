import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGS } from '../../embed/src/words.ts'
import { hasChromium } from '../../embed/test/browser.ts'
import { entryOfVote, ReferenceLog, randomVotes, type Vote } from '../../sdk/test/reference-log.ts'
import { violationsOf } from './axe.ts'
import { EmbedSite } from './embed-site.ts'
import type { PollData } from './service.ts'

const votes = randomVotes(700)

// The log is served by the reference of the tests, in place of the service's own: so it can lie.
describe.if(hasChromium)('the page that counts again', () => {
  let site: EmbedSite
  let poll: PollData
  beforeAll(async () => {
    site = await EmbedSite.open()
    poll = await site.createPoll({ title: 'Tea or coffee?' })
  }, 120_000)
  afterAll(() => site.close())

  const logOf = (given: readonly Vote[] = votes) =>
    new ReferenceLog({ votes: [...given], host: new URL(site.url).host, pollId: poll.id })

  /** The page, in a browser that has seen nothing or what `visits` have left. */
  async function visit(log: () => ReferenceLog, query = ''): Promise<Page> {
    await site.context.unrouteAll()
    for (const place of [`**/api/rest/v1/polls/${poll.id}`, `**/api/rest/v1/polls/${poll.id}/log`, '**/log/**']) {
      await site.context.route(place, async (route) => {
        const answer = log().answer(route.request().url()) ?? new Response('', { status: 404 })
        await route.fulfill({ status: answer.status, body: Buffer.from(await answer.arrayBuffer()) })
      })
    }
    const { page, complaints } = await site.open(`/p/${poll.shortId}/check${query}`)
    await page.locator('.verdict[data-state]').waitFor()
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([])
    return page
  }

  const states = async (page: Page) => {
    const parts = "[...document.querySelectorAll('.verdict, .steps li')]"
    const all = await page.evaluate<[string, string | null][]>(
      `${parts}.map(({ dataset }) => [dataset.step ?? 'all', dataset.state ?? null])`,
    )
    return Object.fromEntries(all)
  }
  const SOUND = { all: 'sound', signature: 'sound', recount: 'sound' }

  test('is green, remembers what it saw, and finds one’s own vote', async () => {
    await site.renew()
    const log = logOf()
    let page = await visit(() => log)
    expect(await states(page)).toEqual({ ...SOUND, seen: null, own: null })
    const [a, b] = log.tallies()
    expect(await page.locator('[data-step=recount]').textContent()).toContain(`${a}`)
    expect(await page.locator('[data-step=recount]').textContent()).toContain(`${b}`)
    expect(await violationsOf(page)).toEqual([])
    // An element keeps a receipt in this form.
    const own = votes[411] as Vote
    const receipts = JSON.stringify([[poll.id, entryOfVote(own), own.nonce]])
    await page.evaluate((text) => localStorage.setItem('tossup.receipts', text), receipts)
    page = await visit(() => log)
    expect(await states(page)).toEqual({ ...SOUND, seen: 'sound', own: 'sound' })
    expect(await page.locator('[data-step=own]').textContent()).toContain('412')
    expect(await page.locator('.again').isVisible()).toBe(true)
  }, 120_000)

  test('takes the receipt of another site out of its address', async () => {
    await site.renew()
    const own = votes[7] as Vote
    const log = logOf()
    const page = await visit(() => log, `#vote=${own.option}.${own.nonce}`)
    expect(await states(page)).toEqual({ ...SOUND, seen: null, own: 'sound' })
    expect(page.url()).not.toContain('#')
  }, 120_000)

  const other = entryOfVote(randomVotes(1)[0] as Vote)
  const reds: readonly [string, (log: ReferenceLog) => void, Record<string, string | null>, string][] = [
    [
      'an entry changed',
      (log) => Object.assign(log.served, { entries: log.entries.with(300, other) }),
      { recount: 'bad' },
      'An entry was changed',
    ],
    [
      'an entry removed',
      (log) => Object.assign(log.served, { entries: log.entries.toSpliced(300, 1) }),
      { recount: 'bad' },
      'An entry was changed',
    ],
    [
      'an entry inserted',
      (log) => Object.assign(log.served, { entries: log.entries.toSpliced(300, 0, other) }),
      { recount: 'bad' },
      'An entry was changed',
    ],
    [
      'two entries swapped',
      (log) =>
        Object.assign(log.served, {
          entries: log.entries.with(300, log.entries[301] as string).with(301, log.entries[300] as string),
        }),
      { recount: 'bad' },
      'An entry was changed',
    ],
    [
      'a tile dropped',
      (log) => Object.assign(log.served, { isWithout: /entries\/001/ }),
      { recount: 'bad' },
      'A part of the record',
    ],
    [
      'a tally altered',
      (log) => Object.assign(log.served, { tallies: [log.tallies()[0] - 1, log.tallies()[1] + 1] }),
      { recount: 'bad' },
      'not the sum',
    ],
    [
      'another key',
      (log) => Object.assign(log.served, { publicKey: logOf().publicKey }),
      { signature: 'bad' },
      'not signed with the right key',
    ],
  ]
  test.each(reds)(
    'is red for %s, and says so',
    async (_, change, expected, words) => {
      await site.renew()
      const log = logOf()
      change(log)
      const page = await visit(() => log)
      expect(await states(page)).toMatchObject({ all: 'bad', ...expected })
      expect(await page.locator('.steps [data-state=bad]').allTextContents()).toEqual([expect.stringContaining(words)])
    },
    120_000,
  )

  test('is red for a second view and for a stale one, keeps what it saw first, and hands out both as evidence', async () => {
    await site.renew()
    const log = logOf()
    await visit(() => log)
    const first = log.entries
    log.entries = first.with(10, other)
    let page = await visit(() => log)
    expect(await states(page)).toMatchObject({ all: 'bad', signature: 'sound', seen: 'bad' })
    const saved = page.waitForEvent('download')
    await page.locator('.evidence').click()
    const { checkpoints } = JSON.parse(await Bun.file((await (await saved).path()) ?? '').text())
    expect(new Set(checkpoints.map(({ checkpoint }: { checkpoint: string }) => checkpoint)).size).toBe(2)
    log.entries = first.slice(0, 600)
    page = await visit(() => log)
    expect(await states(page)).toMatchObject({ all: 'bad', seen: 'bad' })
    log.entries = first
    page = await visit(() => log)
    expect(await states(page)).toEqual({ ...SOUND, seen: 'sound', own: null })
  }, 120_000)

  test('tells restarts: with all that was seen it stays green, otherwise it says what it cannot know', async () => {
    await site.renew()
    const before = logOf()
    await visit(() => before)
    const log = new ReferenceLog({ votes, host: new URL(site.url).host, pollId: poll.id, generation: 'second' })
    log.restarts = [{ origin: before.origin, size: 700, at: '2026-01-31T12:00:00.000Z' }]
    const missing = new ReferenceLog({
      votes: votes.slice(0, 600),
      host: new URL(site.url).host,
      pollId: poll.id,
      generation: 'third',
    })
    missing.restarts = log.restarts
    let page = await visit(() => missing)
    expect(await states(page)).toMatchObject({ all: 'bad', seen: 'bad' })
    expect(await page.locator('[data-step=seen]').textContent()).toContain('cannot tell which')
    page = await visit(() => log)
    expect(await states(page)).toEqual({ ...SOUND, seen: 'sound', own: null })
    expect(await page.locator('.told').textContent()).toContain('700')
  }, 120_000)

  test('checks a downloaded record, and a changed one, and one of another poll, without a request elsewhere', async () => {
    await site.renew()
    const log = logOf()
    const page = await visit(() => log)
    const give = async (text: string) => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'record.json', mimeType: 'application/json', buffer: Buffer.from(text) })
      // The page has taken back the verdict before by then.
      await page.locator('.verdict[data-state]').waitFor()
      return states(page)
    }
    const kept = log.bundle()
    expect(await give(kept)).toMatchObject(SOUND)
    log.entries = [...log.entries, other]
    expect(await give(kept)).toMatchObject(SOUND)
    const changed = JSON.parse(kept)
    changed.entries = changed.entries.with(5, other)
    expect(await give(JSON.stringify(changed))).toMatchObject({ all: 'bad', recount: 'bad' })
    // The same service has shown somebody else another record, and signed it.
    const original = log.entries
    log.entries = original.with(5, other)
    const split = log.bundle()
    log.entries = original
    expect(await give(split)).toMatchObject({ all: 'bad', seen: 'bad' })
    expect(await give(new ReferenceLog({ votes }).bundle())).toMatchObject({ all: 'unsure' })
    expect(await give('{"no": "record"}')).toMatchObject({ all: 'unsure' })
  }, 120_000)

  test('elements keep entry and nonce beside the vote, and lead to the page', async () => {
    await site.renew()
    const [own = { option: 'A', nonce: '' }] = votes.filter(({ option }) => option === 'A')
    const fresh = await site.createPoll()
    await site.context.route('**/votes/me/receipt', (route) =>
      route.fulfill({
        json: { data: { nonce: own.nonce, commitment: 'x', index: null, proof: null, checkpoint: null } },
      }),
    )
    const { page, complaints } = await site.open(`/p/${fresh.shortId}`)
    expect(await page.locator('.check-count').count()).toBe(0)
    await page.locator('[data-option="A"]').click()
    const link = page.getByRole('link', { name: 'Check the count' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toEndWith(`/p/${fresh.shortId}/check?lang=en`)
    const receipts = await page.evaluate("localStorage.getItem('tossup.receipts')")
    expect(JSON.parse(`${receipts}`)).toEqual([[fresh.id, entryOfVote({ ...own, option: 'A' }), own.nonce]])
    expect(complaints).toEqual([])
  }, 120_000)

  test('is no wider than the screen', async () => {
    const log = logOf()
    for (const [width, lang, colorScheme] of [
      [360, 'en', 'light'],
      [390, 'ar', 'dark'],
      [768, 'de', 'light'],
      [1_440, 'ja', 'dark'],
      [360, 'uk', 'light'],
      [360, 'fr', 'light'],
    ] as const) {
      await site.renew({ viewport: { width, height: 900 }, colorScheme })
      const page = await visit(() => log, `?lang=${lang}`)
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect(isWide).toBe(false)
    }
  }, 300_000)
})

test('a poll with hidden results has no such page, and says so as its own page does; a draft is like one that does not exist', async () => {
  const { startTestService } = await import('./service.ts')
  const service = await startTestService('sqlite')
  try {
    const brand = await service.createBrand()
    const page = async (name: string, lang = 'en') => {
      const response = await fetch(new URL(`/p/${name}/check?lang=${lang}`, service.service.url))
      return { status: response.status, text: await response.text() }
    }
    const hidden = async (fields: Record<string, unknown>, lang?: string) => {
      const poll = await service.createPoll(brand, fields)
      const { status, text } = await page(poll.shortId, lang)
      expect([status, text.includes(`href="/p/${poll.shortId}"`)]).toEqual([404, true])
      return [...text.matchAll(/<(?:h1|p)>([^<]+)</g)].map(([, words]) => words)
    }
    const soon = { resultsVisibility: 'after_close', closesAt: '2040-05-01T12:00:00Z' }
    expect(await hidden(soon)).toEqual([
      'Results are hidden',
      'Once the poll has closed, everybody can count its votes again here.',
      'Until May 1, 2040, 12:00 PM UTC',
    ])
    expect(await hidden({ resultsVisibility: 'after_close' })).toHaveLength(2)
    for (const resultsVisibility of ['after_vote', 'never'])
      expect(await hidden({ resultsVisibility })).toEqual([
        'Results are hidden',
        'Votes can be counted again only where everybody may see the results.',
      ])
    const said = new Set<string | undefined>()
    for (const lang of LANGS)
      for (const resultsVisibility of ['after_close', 'never']) said.add((await hidden({ resultsVisibility }, lang))[1])
    expect(said.size).toBe(2 * LANGS.length)
    const draft = await service.createPoll(brand, { isDraft: true })
    expect(await page(draft.shortId)).toEqual(await page('AAAAAAAAAAAA'))
    const open = await service.createPoll(brand)
    expect((await page(open.shortId)).status).toBe(200)
  } finally {
    await service.stop()
  }
})
