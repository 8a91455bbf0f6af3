import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { pollKeyOf } from '../../../../test/ballot-box.ts'
import { engines } from '../../../../test/engines.ts'
import { eventually } from '../../../../test/eventually.ts'
import { deletePoll } from '../../../../test/polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from '../../../../test/service.ts'
import { StreamWatchdog } from './stream-watchdog.ts'
import type { TallyFrame } from './tally-channel.ts'
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
    // A broken reader: it never sees changes of other processes, and it is not notified of votes.
    streams = new TallyStreams({ ...service.deps, engine: { ...service.deps.engine, epoch: () => 0 } })
    service.logLines.length = 0
  })
  afterEach(() => streams.close())

  /** A listener of this poll, and a watchdog that watches only this listener. */
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

  /** Looks this many times, and returns how many streams were behind at the last look. */
  async function looks(times: number): Promise<number> {
    for (let i = 0; i < times; i++) {
      await watchdog.look(service.clock.now())
      await Bun.sleep(BEHIND_MS + 5)
    }
    return watchdog.behind
  }

  const complaints = () => service.logLines.filter((line) => line.includes('behind their polls'))

  test('notices a stream that gets no votes, logs it once, and notices when it gets them again', async () => {
    const hearer = await listen()
    expect(await looks(3)).toBe(0)
    await vote()
    expect(await looks(2)).toBe(1)
    expect(await looks(5)).toBe(1)
    expect(complaints()).toHaveLength(1)
    expect(JSON.parse(complaints()[0] ?? '')).toMatchObject({ level: 'error', streams: 1, polls: 1 })
    streams.reread(pollKey)
    await eventually(() => hearer.frameId !== '')
    const end = performance.now() + 5_000
    while ((await looks(1)) > 0 && performance.now() < end);
    expect(watchdog.behind).toBe(0)
    expect(complaints()).toHaveLength(1)
  })

  test('a slow stream is not behind if it was sent a frame since the last check', async () => {
    const hearer = await listen()
    for (let i = 0; i < 5; i++) {
      await vote()
      await watchdog.look(service.clock.now())
      hearer.send({ id: `older ${i}`, text: '', bytes: Buffer.alloc(0), madeAt: 0, changesAt: null })
      await Bun.sleep(BEHIND_MS + 5)
    }
    expect(watchdog.behind).toBe(0)
  })

  test('votes on hidden results leave no stream behind', async () => {
    poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    pollKey = await pollKeyOf(service, poll)
    await listen()
    await vote()
    expect(await looks(3)).toBe(0)
  })

  test('a stream that stays open after its poll was deleted is behind', async () => {
    await listen()
    await deletePoll(service, brand, poll.id)
    expect(await looks(2)).toBe(1)
  })

  test('limits how often it checks, and without listeners finds none behind', async () => {
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
