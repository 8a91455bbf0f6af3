import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { engines } from '../../server/test/engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { isTossupError, memoryStore, Tossup, Visitor } from '../src/index.ts'
import { type Fault, FaultyProxy } from './faulty-proxy.ts'

const FAULTS: readonly Fault[] = ['pass', 'refuse', 'lose', 'halve']

/** The same faults in each run. */
function* faultsFrom(seed: number): Generator<Fault> {
  for (let state = seed; ; state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) {
    yield FAULTS[(state >>> 16) % FAULTS.length] as Fault
  }
}

describe.each([...engines])('through a faulty network, on %s', (engine) => {
  let service: TestService
  let brand: TestBrand
  let proxy: FaultyProxy
  let poll: PollData

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })

  beforeEach(async () => {
    poll = await service.createPoll(brand)
    proxy = new FaultyProxy(service.service.url)
    await proxy.open()
  })

  afterEach(() => proxy.close())
  afterAll(() => service.stop())

  const visitor = () => new Visitor({ url: proxy.url, storage: memoryStore(), retries: 10 })
  const tallies = async () => (await visitor().getTallies(poll.slug)).tallies
  const owner = () => {
    const { apiKeyId, apiKeySecret } = brand
    return new Tossup({ url: proxy.url, retries: 10, auth: { apiKeyId, apiKeySecret, externalDeviceId: 'me' } })
  }

  test.each(['refuse', 'lose', 'halve'] as const)(
    'a vote that meets %s is acknowledged and counted once',
    async (fault) => {
      const somebody = visitor()
      proxy.plan.push(fault, fault)
      const vote = await somebody.castVote(poll.slug, 'A')
      expect(vote).toMatchObject({ option: 'A', tallies: { optionA: 1, optionB: 0, total: 1 } })
      expect(proxy.seen.slice(0, 2)).toEqual([fault, fault])
      expect(await somebody.getOwnVote(poll.slug)).toEqual(vote)
      expect(await tallies()).toEqual({ optionA: 1, optionB: 0, total: 1 })
    },
  )

  test('an earlier vote of the device is not mistaken for a vote whose answer was lost', async () => {
    const somebody = visitor()
    const { votedAt } = await somebody.castVote(poll.slug, 'A')
    const isRefused = async (option: 'A' | 'B') => {
      const error = await somebody.castVote(poll.slug, option).catch((thrown: unknown) => thrown)
      return isTossupError(error, 'VOTE_ALREADY_CAST') && error.details.existingVote
    }
    expect(await isRefused('A')).toEqual({ option: 'A', votedAt })
    proxy.plan.push('lose')
    expect(await isRefused('B')).toEqual({ option: 'A', votedAt })
    expect(await tallies()).toMatchObject({ total: 1 })
  })

  test('sixty votes with three of four attempts failing are each acknowledged and counted once', async () => {
    const faults = faultsFrom(7)
    proxy.plan.push(...Array.from({ length: 200 }, () => faults.next().value as Fault))
    const patient = (deviceId: string) => new Visitor({ url: proxy.url, deviceId, retries: 1000 })
    const options = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 'A' : 'B') as 'A' | 'B')
    const votes = await Promise.all(options.map((option) => patient(randomUUID()).castVote(poll.slug, option)))
    expect(votes.map(({ option }) => option)).toEqual(options)
    expect(await tallies()).toEqual({ optionA: 20, optionB: 40, total: 60 })
    const { data } = await owner().listVoters(poll.slug, { limit: 100 }).page()
    expect(data.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => 60 - i))
    for (const fault of FAULTS) expect(proxy.seen).toContain(fault)
  })

  test("a brand's write is executed once, however often it is sent", async () => {
    const tossup = owner()
    await tossup.getOwnBrand()
    const title = `Only once ${randomUUID()}`
    proxy.plan.push('lose', 'halve', 'refuse', 'lose')
    const made = await tossup.createPoll({ title, optionA: { label: 'x' }, optionB: { label: 'y' } })
    expect(proxy.seen.filter((fault) => fault !== 'pass')).toEqual(['lose', 'halve', 'refuse', 'lose'])
    const found: string[] = []
    for await (const { id } of tossup.listOwnPolls({ q: title })) found.push(id)
    expect(found).toEqual([made.id])

    const { version } = await tossup.getOwnTheme()
    proxy.plan.push('lose', 'lose')
    expect((await tossup.updateTheme({ radius: 'LG' })).version).toBe(version + 1)
    proxy.plan.push('lose')
    await tossup.deletePoll(made.slug)
    expect(isTossupError(await tossup.getOwnPoll(made.slug).catch((error: unknown) => error), 'NOT_FOUND')).toBe(true)
  })

  test('a list is read without a gap or a repetition', async () => {
    const other = await service.createBrand()
    const made: string[] = []
    for (let i = 0; i < 25; i++) made.unshift((await service.createPoll(other, { title: `Poll ${i}` })).id)
    proxy.plan.push('lose', 'pass', 'halve', 'refuse', 'pass', 'lose')
    const seen: string[] = []
    for await (const { id } of visitor().listPublicPolls(other.slug, { limit: 10 })) seen.push(id)
    expect(seen).toEqual(made)
  })
})
