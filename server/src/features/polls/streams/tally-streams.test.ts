import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { pollKeyOf } from '../../../../test/ballot-box.ts'
import { eventually } from '../../../../test/eventually.ts'
import { startTestService, type TestService } from '../../../../test/service.ts'
import { PollSnapshots } from '../snapshots/poll-snapshots.ts'
import { TallyStreams } from './tally-streams.ts'

setDefaultTimeout(60_000)

const HEARTBEAT_MS = 1_000

describe('streams of tallies', () => {
  let service: TestService
  let polls: PollSnapshots
  let streams: TallyStreams
  let server: ReturnType<typeof Bun.serve>
  let sockets: Socket[]
  let pollKey: number
  let ended: number

  beforeAll(async () => {
    service = await startTestService('sqlite')
    pollKey = await pollKeyOf(service, await service.createPoll(await service.createBrand()))
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    sockets = []
    ended = 0
    polls = new PollSnapshots(service.deps)
    streams = new TallyStreams(service.deps, polls, { heartbeatMs: HEARTBEAT_MS })
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      development: false,
      async fetch() {
        const channel = await streams.channel(pollKey)
        const watched = channel ? [{ channel, reference: 'poll' }] : []
        return new Response(streams.open({ watched, missing: null, lastEventId: '', onEnd: () => void ended++ }))
      },
    })
  })
  afterEach(async () => {
    streams.close()
    for (const socket of sockets) socket.destroy()
    await server.stop(true)
  })

  async function listen(count: number): Promise<Socket[]> {
    const before = streams.listeners
    const opened = Array.from({ length: count }, () => {
      const socket = connect(server.port ?? 0, '127.0.0.1').on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      return socket
    })
    sockets.push(...opened)
    await eventually(() => streams.listeners >= before + count)
    return opened
  }

  test('every listener gets a heartbeat in each period, and not all at the same moment', async () => {
    const beats: number[] = []
    for (const socket of await listen(300)) {
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes('\r\n:\n\n')) beats.push(performance.now())
      })
    }
    await eventually(() => beats.length >= 900)
    const [first = 0] = beats
    const perTenth = Map.groupBy(beats, (at) => Math.floor((at - first) / 100))
    // All at the same moment would be in three tenths of a second, or in six.
    expect(perTenth.size).toBeGreaterThanOrEqual(10)
  })

  test('a listener that does not read is cut off and counted, and one that reads stays', async () => {
    const [sleeper, reader] = await listen(2)
    let received = 0
    sleeper?.pause()
    reader?.on('data', (bytes: Buffer) => {
      received += bytes.length
    })
    const channel = await streams.channel(pollKey)
    const bytes = Buffer.alloc(8_192, 'x')
    let sent = 0
    while (streams.listeners > 1) {
      for (const listener of channel?.listeners ?? []) {
        listener.send({ id: String(sent), text: '', bytes })
      }
      sent++
      // The reader needs time, too.
      const isRead = () => received >= sent * bytes.length
      await eventually(isRead, { everyMs: 1 })
      if (sent > 10_000) throw new Error('a reader that takes nothing is written to for ever')
    }
    expect([ended, streams.counts.tooSlow, streams.listeners]).toEqual([1, 1, 1])
    expect([...(channel?.listeners ?? [])].map(({ frameId }) => frameId)).toEqual([String(sent - 1)])
  })

  test('votes counted during the read of the poll are not missed', async () => {
    const reading = streams.channel(pollKey)
    polls.count(new Map([[pollKey, { option_a: 41, option_b: 1, version: 1_000, counted_at: Date.now() }]]))
    const channel = await reading
    expect(channel?.frame(Date.now()).text).toContain('"tallies":{"optionA":41,"optionB":1,"total":42}')
    expect(await streams.channel(pollKey)).toBe(channel)
  })

  test('the loop starts again after each end', async () => {
    const own = new TallyStreams(service.deps, polls, { forgottenMs: 50 })
    const counted = { option_b: 0, counted_at: Date.now() }
    for (let version = 1_000; version < 1_006; version++) {
      // A missing poll leaves no channel, so the loop has nothing to do and ends at once.
      if (version % 2) expect(await own.channel(10 ** 9)).toBeNull()
      const channel = await own.channel(pollKey)
      const heard = Promise.withResolvers<string>()
      const hearer = {
        frameId: '',
        sentAt: Number.NEGATIVE_INFINITY,
        send: (frame: { text: string }) => heard.resolve(frame.text),
        end: () => undefined,
      }
      channel?.listeners.add(hearer)
      polls.count(new Map([[pollKey, { ...counted, option_a: version, version }]]))
      expect(await heard.promise).toContain('event: tallies')
      channel?.listeners.delete(hearer)
      await own.idle()
      expect(channel?.isOver).toBe(true)
    }
  })

  test('an unknown poll leaves no channel behind, and there is none after the stop', async () => {
    expect(await streams.channel(10 ** 9)).toBeNull()
    await listen(3)
    streams.close()
    expect([streams.listeners, ended]).toEqual([0, 3])
    await expect(streams.channel(pollKey)).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
  })
})
