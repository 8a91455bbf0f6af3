import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { HostSite } from './host-site.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

interface Seen {
  readonly status: number
  readonly headers: Record<string, string>
}

/** Passed as text: the page is on another origin and has no imports. */
const ASK = `async ([url, init]) => {
  const response = await fetch(url, init)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers) }
}`

describe.skipIf(!hasChromium)('a page on another origin', () => {
  let service: TestService
  let brand: TestBrand
  let site: HostSite
  let browser: Browser
  beforeAll(async () => {
    service = await startTestService('sqlite')
    brand = await service.createBrand()
    site = new HostSite('')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await site.stop()
    await service.stop()
  })

  async function ask(path: string, init: RequestInit = {}): Promise<Seen> {
    const page = await browser.newPage()
    try {
      await page.goto(site.url)
      const url = `${service.service.url}/api/rest/v1/${path}`
      return await page.evaluate(`(${ASK})(${JSON.stringify([url, init])})`)
    } finally {
      await page.close()
    }
  }

  test('may send every request header of the API, and read every response header', async () => {
    const poll = await service.createPoll(brand)
    const bearer = { Authorization: `Bearer ${brand.token}` }
    const write = { ...bearer, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ title: 'Tea?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } })

    const key = { 'X-Service-Idempotency-Key': 'from-a-page' }
    const created = await ask('brands/me/polls', { method: 'POST', headers: { ...write, ...key }, body })
    expect([created.status, created.headers['location']]).toEqual([
      201,
      expect.stringMatching(/^\/api\/rest\/v1\/brands\/me\/polls\//),
    ])
    const replayed = await ask('brands/me/polls', { method: 'POST', headers: { ...write, ...key }, body })
    expect([replayed.headers['idempotent-replayed'], replayed.headers['original-request-id']]).toEqual([
      'true',
      created.headers['x-request-id'],
    ])

    const unauthorized = await ask('brands/me')
    expect([unauthorized.status, unauthorized.headers['www-authenticate']]).toEqual([401, 'Bearer realm="tossup"'])

    const read = await ask(`polls/${poll.slug}`)
    const known = await ask(`polls/${poll.slug}`, { headers: { 'If-None-Match': read.headers['etag'] ?? '' } })
    expect([read.status, known.status]).toEqual([200, 304])

    const stream = await ask(`polls/${poll.slug}/tallies/stream`, { headers: { 'Last-Event-ID': 'none' } })
    expect(stream.status).toBe(200)

    const vote = await ask(`polls/${poll.slug}/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID(), 'If-Match': '*' },
      body: '{"option":"A"}',
    })
    expect([vote.status, Boolean(vote.headers['ratelimit']), Boolean(vote.headers['ratelimit-policy'])]).toEqual([
      201,
      true,
      true,
    ])

    await service.createPoll(brand)
    const page = await ask('brands/me/polls?limit=1', { headers: bearer })
    expect(page.headers['link']).toEndWith('>; rel="next"')
  })
})
