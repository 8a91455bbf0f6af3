import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newDevice, pollKeyOf } from '../../../test/ballot-box.ts'
import { engines } from '../../../test/engines.ts'
import { deletePoll } from '../../../test/polls.ts'
import { startTestService, type TestBrand, type TestService } from '../../../test/service.ts'
import { countStretch, countStretches } from './queries.ts'
import { Recount } from './recount.ts'

setDefaultTimeout(60_000)

const VOTES = 7

describe.each([...engines])('%s: a recount', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function createVotedPoll() {
    const poll = await service.createPoll(brand)
    const pollKey = await pollKeyOf(service, poll)
    for (let vote = 0; vote < VOTES; vote++) {
      await service.service.ledger.cast({ pollKey, device: newDevice(), option: vote % 3 === 0 ? 'B' : 'A' })
    }
    return { slug: poll.slug, pollKey, last: VOTES }
  }

  test('of many polls together leaves out one that was deleted after its last position was read', async () => {
    const ends = await Promise.all(Array.from({ length: 4 }, createVotedPoll))
    const [deleted, ...others] = ends
    if (!deleted) throw new Error('no poll')
    await deletePoll(service, brand, deleted.slug)
    // As while its votes are being removed: counted like those of a poll, they would be too few.
    await service.db.deleteFrom('votes').where('poll_key', '=', deleted.pollKey).where('position', '<', 4).execute()

    // The last one has no votes.
    const stretches = ends.map(({ pollKey, last }, i) => ({
      pollKey,
      after: i < 3 ? 2 : last,
      upTo: i < 3 ? last : last + 2,
    }))
    const counted = await countStretches(service.db, stretches)
    expect([...counted.keys()].toSorted()).toEqual(others.map(({ pollKey }) => pollKey).toSorted())
    for (const stretch of stretches) {
      expect(counted.get(stretch.pollKey) ?? null).toEqual(await countStretch(service.db, stretch))
    }

    const recount = new Recount(service.deps.engine, 1_000)
    await recount.goTogether(ends, 1_000)
    expect(ends.map(({ pollKey }) => recount.countedUpTo(pollKey))).toEqual([0, ...others.map(() => VOTES)])
    expect(await recount.go(deleted.pollKey, { last: VOTES, rows: 1_000 })).toBeNull()
  })
})
