import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Popularity } from '../src/features/polls/feed/popularity.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

describe.if(engines.includes('postgres'))('postgres: a sweep for the popular order', () => {
  let service: TestService
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService('postgres', { jobs: 'by hand' })
    poll = await service.createPoll(await service.createBrand())
  })
  afterAll(() => service.stop())

  const counted = async () =>
    (await service.db.selectFrom('polls').select('vote_total').where('id', '=', poll.id).executeTakeFirstOrThrow())
      .vote_total

  test('leaves a poll whose votes another server is counting, and takes one that nobody counts', async () => {
    const [ours, theirs] = [new Popularity(service.deps.engine), new Popularity(service.deps.engine)]
    const now = service.clock.now()
    await service.vote(poll.slug, 'A')
    expect(await ours.sweep(now)).toBe(true)
    theirs.noteVotes([await pollKeyOf(service, poll)])
    await theirs.refresh(now)
    await service.vote(poll.slug, 'A')
    expect(await ours.sweep(now)).toBe(false)
    await ours.refresh(now)
    expect(await counted()).toBe(1)

    expect([await ours.sweep(now), await ours.sweep(now)]).toEqual([true, false])
    await ours.refresh(now)
    expect(await counted()).toBe(2)
    expect([await ours.sweep(now), await ours.sweep(now)]).toEqual([false, false])
  })
})
