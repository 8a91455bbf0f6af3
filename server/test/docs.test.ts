import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { DOCS } from '../tools/docs/catalogue.ts'
import { AXE } from './axe.ts'
import { docsBuilt } from './docs-built.ts'
import { GUIDES, readDocument } from './documents.ts'
import { startTestService, type TestService } from './service.ts'

// axe takes seconds for a long page, and far more beside other tests.
setDefaultTimeout(180_000)

let service: TestService
beforeAll(async () => {
  service = await startTestService('sqlite')
  await docsBuilt()
})
afterAll(() => service.stop())

const operations = Object.values(
  (JSON.parse(readDocument('server/openapi.json')) as { paths: Record<string, Record<string, unknown>> }).paths,
).flatMap((item) => Object.values(item) as { operationId?: string; tags?: string[]; summary?: string }[])

const tags = [...new Set(operations.flatMap(({ tags: [tag] = [] }) => tag?.toLowerCase() ?? []))]

const ADDRESSES = [
  '/docs',
  ...DOCS.map(({ name }) => `/docs/${name}`),
  '/docs/api',
  ...tags.map((tag) => `/docs/api/${tag}`),
]

test('every guide is a page, in the place that a reader looks for it', () => {
  const shown = DOCS.map(({ file }) => file).filter((file) => file.startsWith('docs/'))
  expect(shown.toSorted()).toEqual([...GUIDES])
})

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

async function readPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  for (const address of ADDRESSES) pages.set(address, (await service.get(address)).text)
  return pages
}

const targetsIn = (text: string): string[] =>
  [...text.matchAll(/(?:href|src|data-index)="([^"]+)"/g)]
    .map(([, target = '']) => target)
    // The console is a feature of its own.
    .filter((target) => !/^https?:|^\/console$|^\/$/.test(target))

test('every page of the docs has a strict policy, and is sent once to who has it', async () => {
  for (const address of ADDRESSES) {
    const { status, headers } = await service.get(address)
    expect([address, status, headers.get('content-security-policy')]).toEqual([address, 200, POLICY])
    const again = await service.get(address, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    expect([address, again.status]).toEqual([address, 304])
  }
})

test('every link, script and picture of the pages leads somewhere', async () => {
  const pages = await readPages()
  const has = (page: string, id: string) => pages.get(page)?.includes(` id="${id}"`) === true
  const named = [...pages].flatMap(([address, text]) =>
    targetsIn(text).map((target) => {
      const [path = '', anchor] = target.split('#', 2)
      return { address, target, page: path === '' ? address : path, anchor }
    }),
  )
  const faults = named.filter(({ page, anchor }) => pages.has(page) && anchor !== undefined && !has(page, anchor))
  expect(faults.map(({ address, target }) => `${address}: ${target}`)).toEqual([])
  const files = new Set(named.map(({ page }) => page).filter((page) => !pages.has(page)))
  expect(files.size).toBeGreaterThan(30)
  for (const file of files) expect([file, (await service.request('HEAD', file)).status]).toEqual([file, 200])
})

test('files that a page names are kept for good, and others for minutes', async () => {
  const { text } = await service.get('/docs')
  for (const name of ['docs.css', 'docs.js', 'search.js', 'search.json']) {
    const address = new RegExp(`/docs/files/${name}\\?build=[\\w-]{12}`).exec(text)?.[0] ?? '?'
    expect((await service.get(address)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const other = await service.get(`/docs/files/${name}?build=AAAAAAAAAAAA`)
    expect(other.headers.get('cache-control')).toBe('public, max-age=300, stale-while-revalidate=86400')
  }
  for (const path of ['/docs/never-written', '/docs/api/never', '/docs/images/never.webp']) {
    expect([path, (await service.get(path)).status]).toEqual([path, 404])
  }
})

test('examples name the service that shows them, except where they start another one', async () => {
  const publicUrl = 'https://vote.example.org'
  const own = await startTestService('sqlite', { settings: { PUBLIC_URL: publicUrl } })
  const pages = new Map<string, string>()
  for (const { name } of DOCS) pages.set(name, (await own.get(`/docs/${name}`)).text)
  const reference = (await own.get('/docs/api/votes')).text
  const index = (await own.get('/docs/files/search.json')).text
  await own.stop()
  const foreign = [...pages].filter(([, text]) => /(?:127\.0\.0\.1:3000|polls\.example\.com)/.test(text))
  expect(foreign.map(([name]) => name)).toEqual(['start', 'run', 'processes'])
  expect(pages.get('start')).toContain(`API=${publicUrl}/api/rest/v1 `)
  expect(pages.get('start')).toContain('# run it on http://127.0.0.1:3000')
  expect(pages.get('run')).toContain('PUBLIC_URL=https://polls.example.com DATA_DIR=')
  expect(pages.get('sdk')).toContain(`url: &#39;${publicUrl}&#39;`)
  expect(pages.get('embedding')).toContain(`${publicUrl}/embed.js`)
  expect(reference).toContain(`curl -X POST &quot;${publicUrl}/api/rest/v1/polls/`)
  expect(index).toContain(`${publicUrl}/embed.js`)
  // Browsers keep files by their build: an index with another address is another one.
  const buildIn = (text = '') => /build=([\w-]{12})"/.exec(text)?.[1] ?? ''
  const other = (await service.get('/docs/start')).text
  expect([buildIn(other).length, buildIn(other)]).toEqual([12, expect.not.stringMatching(buildIn(pages.get('start')))])
  const marks = [...pages.values(), reference, index].flatMap(
    (text) => text.match(/@(?:service|published|build)@/g) ?? [],
  )
  expect(marks).toEqual([])
})

test('a page whose examples name the demo says that another service has no demo', async () => {
  const pages = await readPages()
  const says = (address: string) =>
    pages.get(address)?.includes('<p class="note">Examples name the brand <code>corner-cafe</code>')
  for (const name of ['embedding', 'polls', 'analytics', 'sdk', 'api'])
    expect([name, says(`/docs/${name}`)]).toEqual([name, true])
  for (const name of ['upgrade', 'processes', 'start']) expect([name, says(`/docs/${name}`)]).toEqual([name, false])
})

test('every page has a text for programs, which is in the directory and whose links lead somewhere', async () => {
  const { text: directory, headers } = await service.get('/llms.txt')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const texts = new Map<string, string>()
  for (const address of ADDRESSES.slice(1)) {
    const { status, text, headers: own } = await service.get(`${address}.md`)
    expect([address, status, own.get('content-type')]).toEqual([address, 200, 'text/markdown; charset=utf-8'])
    expect([address, directory.includes(`${address}.md): `)]).toEqual([address, true])
    expect([address, /^# |\]\((?!https?:|#|\/)|<!--|@\w+@/.exec(text)?.[0]]).toEqual([address, '# '])
    texts.set(`${address}.md`, text)
  }
  expect(directory).toContain('/openapi.json): ')
  const named = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/\]\((\/[^)#]+)/g)].map(([, path = '']) => path),
  )
  const unknown = new Set(named.filter((path) => !texts.has(path)))
  expect(named.length - unknown.size).toBeGreaterThan(100)
  for (const path of unknown) expect([path, (await service.request('HEAD', path)).status]).toEqual([path, 200])
  expect(texts.get('/docs/embedding.md')).not.toContain('http://127.0.0.1:3000')
  expect(texts.get('/docs/api/votes.md')).toContain('`POST /api/rest/v1/polls/{slug}/votes`')
  expect(texts.get('/docs/api/votes.md')).toContain('- 409 `VOTE_ALREADY_CAST`: ')
  for (const path of ['/docs/never.md', '/docs/api/never.md'])
    expect([path, (await service.get(path)).status]).toEqual([path, 404])
})

test('the reference shows every operation with its path and its codes', async () => {
  const named = operations.filter(({ operationId }) => operationId)
  expect(named.length).toBeGreaterThan(70)
  const pages = new Map<string, string>()
  for (const tag of tags) pages.set(tag, (await service.get(`/docs/api/${tag}`)).text)
  const lacking = named.filter(
    ({ operationId, tags: [tag = ''] = [] }) => !pages.get(tag.toLowerCase())?.includes(`id="${operationId}"`),
  )
  expect(lacking).toEqual([])
  expect(pages.get('votes')).toContain('href="/docs/errors#vote_already_cast"')
})

/** Searches of newcomers, and the page with the answer. */
const QUESTIONS = [
  ['how do I embed a poll on my website', '/docs/embedding'],
  ['close a poll automatically', '/docs/polls#schedule-close-and-reopen'],
  ['hide results until closed', '/docs/polls#who-sees-the-results'],
  ['change the colours', '/docs/theming'],
  ['run with docker', '/docs/run#docker-and-compose'],
  ['restore a backup', '/docs/backup#restore'],
  ['stop people from voting twice', '/docs/integrity#what-one-vote-per-device-proves'],
  ['export votes to csv', '/docs/analytics#download-everything'],
  ['gdpr: delete my data', '/docs/privacy#forget-a-device'],
  ['how many votes can it handle?', '/docs/scale'],
] as const

describe.if(hasChromium)('the docs in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function onPage(path: string, use: (page: Page) => Promise<void>, width = 1280): Promise<void> {
    const context = await browser.newContext({ viewport: { width, height: 800 }, locale: 'en-US' })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    try {
      await page.goto(service.service.url + path)
      await use(page)
      expect(complaints).toEqual([])
    } finally {
      await context.close()
    }
  }

  test('has no barrier, and nothing wider than a phone', async () => {
    for (const path of ['/', '/docs/polls', '/docs/states', '/docs/api/votes']) {
      await onPage(
        path,
        async (page) => {
          expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
            path,
            true,
          ])
          await page.evaluate(`${AXE};undefined`)
          const run = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })"
          const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(run)
          expect([path, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([path, []])
        },
        360,
      )
    }
  })

  test('aligns the figures of a table, cuts no name in it, and scrolls it by itself on a phone', async () => {
    const cells = (selector: string, measure: string) =>
      `[...document.querySelectorAll('.table ${selector}')].map((cell) => ${measure})`
    const isFitting = 'document.documentElement.scrollWidth <= innerWidth'
    const onPhone = (path: string, use: (page: Page) => Promise<void>) => onPage(path, use, 390)
    await onPhone('/docs/scale', async (page) => {
      const aligned = await page.evaluate<string[]>(cells('[align=right]', 'getComputedStyle(cell).textAlign'))
      expect([aligned.length > 100, new Set(aligned)]).toEqual([true, new Set(['end'])])
      expect(await page.evaluate(isFitting)).toBe(true)
    })
    await onPhone('/docs/citus', async (page) => {
      const lines = await page.evaluate<number[]>(cells('td code', 'cell.getClientRects().length'))
      expect([lines.length > 5, Math.max(...lines)]).toEqual([true, 1])
      const widths = await page.evaluate<number[]>(cells('td:not([align=right])', 'cell.offsetWidth'))
      expect(Math.min(...widths)).toBeGreaterThanOrEqual(144)
      expect(await page.evaluate(isFitting)).toBe(true)
    })
  })

  test('finds a section by its words, and opens it', async () => {
    await onPage('/docs', async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('reopen sched')
      const first = page.locator('.hits a').first()
      await first.waitFor()
      expect(await first.getAttribute('href')).toBe('/docs/polls#schedule-close-and-reopen')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/polls#schedule-close-and-reopen')
    })
  })

  test('finds the explanation for what a newcomer asks', async () => {
    await onPage('/docs', async (page) => {
      const firstHits: string[][] = []
      for (const [question] of QUESTIONS) {
        await page.locator('.search input').fill(question)
        await page.keyboard.press('ArrowDown')
        await page.locator('.hits a:focus').waitFor()
        firstHits.push([question, (await page.locator('.hits a:focus').getAttribute('href')) ?? ''])
      }
      expect(firstHits).toEqual(QUESTIONS.map((each) => [...each]))
    })
  })

  test('searches by keyboard alone, and says what it does', async () => {
    await onPage('/docs/polls', async (page) => {
      await page.keyboard.press('/')
      // Enter comes before the index.
      await page.keyboard.type('webhook signature')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/webhooks#check-the-signature')
      await page.keyboard.press('/')
      await page.keyboard.type('backup')
      await page.locator('.search [role=status]', { hasText: 'found' }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      expect(await page.evaluate('document.activeElement === document.querySelectorAll(".hits a")[1]')).toBe(true)
      await page.keyboard.press('Escape')
      expect(await page.locator('.hits').isVisible()).toBe(false)
      expect(await page.evaluate('document.activeElement.matches(".search input")')).toBe(true)
      await page.locator('.search input').fill('zzyzx')
      await page.locator('.hits', { hasText: 'Nothing found' }).waitFor()
      await page.keyboard.press('Tab')
      await page.locator('.hits').waitFor({ state: 'hidden' })
    })
  })

  test('sends a request of the reference to the server', async () => {
    const poll = await service.createPoll(await service.createBrand())
    await onPage('/docs/api/votes#castVote', async (page) => {
      const form = page.locator('details.try', { has: page.locator('form[data-path$="/votes"]') })
      await form.locator('summary').click()
      await form.locator('input[name=slug]').fill(poll.slug)
      await form.getByRole('button', { name: 'Send POST' }).click()
      await form.getByText(/^201/).waitFor()
      expect(JSON.parse((await form.locator('.outcome code').textContent()) ?? '').data.tallies.total).toBe(1)
    })
  })

  test('sends one write after another from the same form, each with a key of its own', async () => {
    const brand = await service.createBrand()
    await onPage('/docs/api/polls#createPoll', async (page) => {
      const form = page.locator('#createPoll').locator('xpath=ancestor::section').locator('details.try')
      await form.locator('summary').click()
      await form.locator('input[name=Authorization]').fill(brand.token)
      // The service accepts the prefilled body.
      await form.getByRole('button', { name: 'Send POST' }).click()
      await form.locator('.outcome', { hasText: '"title": "Tea or coffee?"' }).getByText(/^201/).waitFor()
      for (const title of ['The first?', 'The second?']) {
        const poll = { title, optionA: { label: 'Yes' }, optionB: { label: 'No' } }
        await form.locator('textarea').fill(JSON.stringify(poll))
        await form.getByRole('button', { name: 'Send POST' }).click()
        await form
          .locator('.outcome', { hasText: `"title": "${title}"` })
          .getByText(/^201/)
          .waitFor()
      }
    })
  })
})
