import { expect, test } from 'bun:test'
import { eventually } from '../../server/test/eventually.ts'
import { startTestService } from '../../server/test/service.ts'
import { Crowd, misled } from './crowd.ts'

test('listeners report their last event, and wrong events are counted', async () => {
  const service = await startTestService('sqlite')
  const brand = await service.createBrand()
  const polls = [await service.createPoll(brand), await service.createPoll(brand)]
  const [hot = '', other = ''] = polls.map(({ slug }) => `/api/rest/v1/polls/${slug}/tallies/stream`)
  const crowd = await Crowd.gather(service.service.url, 31, [hot, other])
  expect(await crowd.report()).toMatchObject({ open: 31, refused: 0, totals: { [hot]: { 0: 16 }, [other]: { 0: 15 } } })
  for (let i = 0; i < 3; i++) await service.vote(polls[0]?.slug ?? '', 'A')
  const truth = new Map([
    [hot, 3],
    [other, 0],
  ])
  const report = await eventually(async () => {
    const now = await crowd.report()
    return misled(now, truth) === 0 && now
  })
  expect(report.totals).toEqual({ [hot]: { 3: 16 }, [other]: { 0: 15 } })
  expect(report.events).toBeGreaterThanOrEqual(31 + 16)
  expect(
    misled(
      report,
      new Map([
        [hot, 3],
        [other, 1],
      ]),
    ),
  ).toBe(15)
  await crowd.leave()
  await service.stop()
  await expect(Crowd.gather('http://127.0.0.1:1', 2, [hot])).rejects.toThrow()
}, 60_000)

test('a refused crowd reports the refusal', async () => {
  const service = await startTestService('sqlite', { settings: { STREAMS: '3' } })
  const poll = await service.createPoll(await service.createBrand())
  const path = `/api/rest/v1/polls/${poll.slug}/tallies/stream`
  await expect(Crowd.gather(service.service.url, 5, [path])).rejects.toThrow('refused')
  await service.stop()
}, 60_000)
