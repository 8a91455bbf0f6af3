import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newShortId } from '../src/base/ids.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { identifiersOf } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { StatementWatch } from './statement-watch.ts'

/** Neither depends on the poll that is asked for. */
const OF_THE_SERVER = /pragma|^(begin|commit|rollback)/i

describe.each([...engines])('%s: a draft takes the same work as an unknown poll', (engine) => {
  const watch = new StatementWatch()
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(async () => {
    watch.stop()
    await service.stop()
  })

  /** The answer to the request, and the statements that it took. */
  async function workFor({ spec }: Route, path: string) {
    watch.seen = []
    const device = randomUUID()
    const json = spec.name === 'castVote' ? { json: { option: 'A' } } : {}
    const { status, text, headers } = await service.request(spec.method, path, { device, ...json })
    const answer = text.replaceAll(headers.get('x-request-id') ?? '', '').replaceAll(path, '')
    return { status, answer, statements: watch.seen.map((one) => one.text).filter((one) => !OF_THE_SERVER.test(one)) }
  }

  const publicRoutes = (parameter: string): Route[] =>
    service.service.routes.filter(({ spec }) => spec.path.includes(parameter) && !spec.path.startsWith('/brands/me'))

  test('a poll under its slug, shortId and id, on every public route, however often', async () => {
    const routes = publicRoutes('{slug}')
    expect(routes.length).toBeGreaterThan(8)
    for (const route of routes) {
      const draft = await service.createPoll(brand, { isDraft: true })
      const missing = [`none-${randomUUID().slice(0, 8)}`, newShortId(), randomUUID()]
      const drafts = identifiersOf(draft)
      expect(drafts).toHaveLength(4)
      for (const reference of drafts) {
        const twin = missing.find((one) => one.length === reference.length) ?? missing[0] ?? ''
        const address = (name: string) => fullPath(route.spec).replace('{slug}', name)
        for (let i = 0; i < 3; i++) {
          const ofDraft = await workFor(route, address(reference))
          const ofMissing = await workFor(route, address(twin))
          expect([route.spec.name, ofDraft]).toEqual([route.spec.name, ofMissing])
          expect(ofDraft.status).toBe(404)
        }
      }
    }
  })

  test('a campaign, on every public route', async () => {
    const poll = await service.createPoll(brand)
    const draft = await createCampaign(service, brand, [poll], { state: 'draft' })
    for (const route of publicRoutes('{campaignId}')) {
      const address = (id: string) => fullPath(route.spec).replace('{campaignId}', id)
      for (let i = 0; i < 2; i++) {
        const ofDraft = await workFor(route, address(draft.campaignId))
        expect([route.spec.name, ofDraft]).toEqual([route.spec.name, await workFor(route, address(randomUUID()))])
        expect(ofDraft.status).toBe(404)
      }
    }
  })

  test('a published draft is found at once', async () => {
    const { slug } = await service.createPoll(brand, { isDraft: true })
    expect((await service.vote(slug, 'A')).status).toBe(404)
    await service.write('PATCH', `brands/me/polls/${slug}`, { token: brand.token, json: { isDraft: false } })
    expect((await service.vote(slug, 'A')).status).toBe(201)
    expect((await service.get(`polls/${slug}`)).status).toBe(200)
  })
})
