import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { fromNow, HOUR, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'

setDefaultTimeout(60_000)

/** Longer than a round and than the gap between two events. */
const QUIET_MS = 900

describe.each([...engines])('%s: the stream of tallies and the clock', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeEach(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterEach(() => service.stop())

  const listen = ({ slug }: PollData) =>
    StreamClient.open(`${service.service.url}/api/rest/v1/polls/${slug}/tallies/stream`)

  test('shows the opening, the closing and the reveal by the clock alone', async () => {
    const poll = await service.createPoll(brand, {
      resultsVisibility: 'after_close',
      opensAt: fromNow(HOUR / 2),
      closesAt: fromNow(HOUR),
    })
    await service.db
      .updateTable('tallies')
      .set({ option_a: 2, option_b: 1, version: 3 })
      .where('poll_key', '=', await pollKeyOf(service, poll))
      .execute()
    const client = await listen(poll)
    await client.until(({ events }) => events.length === 1)
    service.clock.advance(HOUR / 2 + 1_000)
    await client.until(({ events }) => events.length === 2)
    service.clock.advance(HOUR / 2)
    await client.until(({ events }) => events.length === 3)
    await Bun.sleep(QUIET_MS)
    expect(client.events.map(({ data }) => [data.status, data.tallies.hidden ?? data.tallies.total])).toEqual([
      ['scheduled', true],
      ['open', true],
      ['closed', 3],
    ])
  })

  test('follows a clock that is set back', async () => {
    const poll = await service.createPoll(brand, { closesAt: fromNow(HOUR) })
    const client = await listen(poll)
    service.clock.advance(HOUR + 1_000)
    await client.until(({ last }) => last?.data.status === 'closed')
    service.clock.advance(-HOUR - 1_000)
    await client.until(({ last }) => last?.data.status === 'open')
  })

  test('ends with the count of all votes when the poll closes during votes', async () => {
    const poll = await service.createPoll(brand, { resultsVisibility: 'after_close', closesAt: fromNow(HOUR) })
    const client = await listen(poll)
    await client.until(({ events }) => events.length === 1)
    // Only now, so that the stream begins before the close on a slow machine too.
    await patchPoll(service, brand, poll.slug, { closesAt: fromNow(2_500) })
    let accepted = 0
    for (let status = 201; status === 201; accepted++) status = (await service.vote(poll.slug, 'A')).status
    await client.until(({ last }) => last?.data.status === 'closed' && last.data.tallies.total === accepted - 1)
    expect(client.events[0]?.data.tallies.hidden).toBe(true)
    expect(await patchPoll(service, brand, poll.slug, { closesAt: fromNow(HOUR) })).toMatchObject({ status: 200 })
    await client.until(({ last }) => last?.data.status === 'open' && last.data.tallies.hidden === true)
  })
})
