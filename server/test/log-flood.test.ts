import { describe, expect, test } from 'bun:test'
import { hideVotes, showVotes } from './ballot-box.ts'
import { engines } from './engines.ts'
import { startTestService } from './service.ts'

describe.each([...engines])('%s: while every vote fails', (engine) => {
  test('each cause is logged once a second, and every requestId can be found in the log', async () => {
    const service = await startTestService(engine)
    const { slug } = await service.createPoll(await service.createBrand())
    await hideVotes(service)
    const startedAt = performance.now()
    const requestIds: string[] = []
    while (performance.now() - startedAt < 1_500) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => service.vote(slug, 'A')))
      for (const { status, body } of replies) {
        expect(status).toBe(500)
        requestIds.push(body.error.requestId)
      }
      // Real time: the log counts by the second.
      await Bun.sleep(50)
    }
    const seconds = (performance.now() - startedAt) / 1_000
    await showVotes(service)
    await service.stop()
    expect(requestIds.length).toBeWithin(20, 1_000)

    const failures = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a request failed')
    const causes = new Set(failures.map(({ err }) => err.message))
    expect(failures.length).toBeLessThanOrEqual(causes.size * (seconds + 2))
    const told = failures.flatMap(({ requestId, requestIds }) => (requestId ? [requestId] : requestIds))
    expect(told.sort()).toEqual(requestIds.sort())
  })
})
