import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from './engines.ts'
import { startTestService, type TestService } from './service.ts'

describe.each([...engines])('%s: a brand, a poll, a vote', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  // spec: 1-5
  test("an app's key, a token, a poll and a vote lead to a tally", async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand, { tags: ['a', 'b'] })
    expect(poll.tags).toEqual(['a', 'b'])
    const device = randomUUID()
    const vote = await service.vote(poll.slug, 'A', device)
    expect(vote.status).toBe(201)
    expect(vote.body.data.tallies).toEqual({ optionA: 1, optionB: 0, total: 1 })
    const again = await service.vote(poll.shortId, 'optionB', device)
    expect(again.status).toBe(409)
    expect(again.body.error.code).toBe('VOTE_ALREADY_CAST')
    const feed = await service.get<unknown[]>(`brands/${brand.slug}/polls`)
    expect(feed.body.data).toHaveLength(1)
  })
})
