import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { pollKeyOf } from '../../../../test/ballot-box.ts'
import { engines } from '../../../../test/engines.ts'
import { deletePoll } from '../../../../test/polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { StreamWatchdog } from './stream-watchdog.ts'
import type { TallyFrame } from './tally-frame.ts'
import { TallyStreams } from './tally-streams.ts'

const BEHIND_MS = 50

class Hearer {
  frameId = ''
  sentAt = performance.now()

  send({ id }: TallyFrame): void {
    this.frameId = id
    this.sentAt = performance.now()
  }

  end(): void {}
}

describe.each([...engines])('%s: the watchdog of live streams', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let pollKey: number
  let streams: TallyStreams
  let watchdog: StreamWatchdog
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    poll = await service.createPoll(brand)
    pollKey = await pollKeyOf(service, poll)
    // Its reader is broken: it never learns that another process has written, and nobody tells it of votes.
    streams = new TallyStreams({ ...service.deps, engine: { ...service.deps.engine, epoch: () => 0 } })
    service.logLines.length = 0
  })
  afterEach(() => streams.close())

  /** One who listens to this poll, and a watchdog who watches them alone. */
  async function listen(): Promise<Hearer> {
    const channel = await streams.channel(pollKey)
    if (!channel) throw new Error('there is no such poll')
    const hearer = new Hearer()
    hearer.send(channel.frame(service.clock.now()))
    channel.listeners.add(hearer)
    watchdog = new StreamWatchdog(service.deps, { channels: () => [channel] }, BEHIND_MS)
    return hearer
  }

  const vote = () =>
    service.db
      .updateTable('tallies')
      .set({ option_a: sql`option_a + 1`, version: sql`version + 1` })
      .where('poll_key', '=', pollKey)
      .execute()

  /** Looks as often as it counts, and tells how many were behind at the last one. */
  async function looks(times: number): Promise<number> {
    for (let i = 0; i < times; i++) {
      await watchdog.look(service.clock.now())
      await Bun.sleep(BEHIND_MS + 5)
    }
    return watchdog.behind
  }

  const complaints = () => service.logLines.filter((line) => line.includes('behind their polls'))

  test('sees a stream that is not told of votes, says so once, and sees when it is told', async () => {
    const hearer = await listen()
    expect(await looks(3)).toBe(0)
    await vote()
    expect(await looks(2)).toBe(1)
    expect(await looks(5)).toBe(1)
    expect(complaints()).toHaveLength(1)
    expect(JSON.parse(complaints()[0] ?? '')).toMatchObject({ level: 'error', streams: 1, polls: 1 })
    streams.reread(pollKey)
    while (hearer.frameId === '') await Bun.sleep(5)
    const end = performance.now() + 5_000
    while ((await looks(1)) > 0 && performance.now() < end);
    expect(watchdog.behind).toBe(0)
    expect(complaints()).toHaveLength(1)
  })

  test('a stream that is only slow is not behind: what was sent since the last look is enough', async () => {
    const hearer = await listen()
    for (let i = 0; i < 5; i++) {
      await vote()
      await watchdog.look(service.clock.now())
      hearer.send({ id: `older ${i}`, text: '', bytes: Buffer.alloc(0), madeAt: 0, changesAt: null })
      await Bun.sleep(BEHIND_MS + 5)
    }
    expect(watchdog.behind).toBe(0)
  })

  test('votes that are not shown leave nobody behind', async () => {
    poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    pollKey = await pollKeyOf(service, poll)
    await listen()
    await vote()
    expect(await looks(3)).toBe(0)
  })

  test('a stream that goes on after its poll is gone is behind', async () => {
    await listen()
    await deletePoll(service, brand, poll.id)
    expect(await looks(2)).toBe(1)
  })

  test('called more often it looks no more often, and where nobody listens nobody is behind', async () => {
    await listen()
    await vote()
    expect(await looks(2)).toBe(1)
    watchdog = new StreamWatchdog(service.deps, { channels: () => [] }, BEHIND_MS)
    expect(await looks(2)).toBe(0)
    await listen()
    await vote()
    for (let i = 0; i < 20; i++) await watchdog.look(service.clock.now())
    expect(watchdog.behind).toBe(0)
  })
})
