import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pollKeyOf } from '../../../../test/ballot-box.ts'
import { engines } from '../../../../test/engines.ts'
import { deletePoll, identifiersOf } from '../../../../test/polls.ts'
import { startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { PollKeys } from './poll-keys.ts'

describe.each([...engines])('%s: keys of polls', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test('every identifier of a published poll leads to the same key, and none of a draft to any', async () => {
    for (const isDraft of [false, true]) {
      const poll = await service.createPoll(brand, { isDraft })
      const key = isDraft ? null : await pollKeyOf(service, poll)
      const keys = new PollKeys(service.db)
      for (const reference of identifiersOf(poll)) expect(await keys.find(reference)).toBe(key)
    }
  })

  test('an unknown identifier is queried again, a known one is not', async () => {
    const keys = new PollKeys(service.db)
    expect(await keys.find('comes-later')).toBeNull()
    const poll = await service.createPoll(brand, { slug: 'comes-later' })
    const key = await keys.find('comes-later')
    expect(key).toBe(await pollKeyOf(service, poll))
    await deletePoll(service, brand, poll.id)
    expect(await keys.find('comes-later')).toBe(key)
    expect(await keys.find(poll.id)).toBeNull()
    expect(await new PollKeys(service.db).find('comes-later')).toBeNull()
  })

  test('the number of kept keys is limited', async () => {
    const keys = new PollKeys(service.db, 2)
    const polls = [await service.createPoll(brand), await service.createPoll(brand), await service.createPoll(brand)]
    for (const { slug } of polls) await keys.find(slug)
    for (const { id } of polls) await deletePoll(service, brand, id)
    const kept = await Promise.all(polls.map(({ slug }) => keys.find(slug)))
    expect(kept.filter((key) => key !== null)).toHaveLength(2)
  })
})
