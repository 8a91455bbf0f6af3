import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { createHttpApp } from '../src/app/app.ts'
import { PollKeys } from '../src/features/polls/snapshots/poll-keys.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { streamRoutes } from '../src/features/polls/streams/stream-route.ts'
import { TallyStreams } from '../src/features/polls/streams/tally-streams.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { peersOf } from './peers.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'

setDefaultTimeout(60_000)

/** No stream has been requested yet. None of these first requests may stop the streams. */
describe.each([...engines])('%s: the first requests for streams', (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollSnapshots
  let streams: TallyStreams
  let server: ReturnType<typeof Bun.serve>
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    polls = new PollSnapshots(service.deps)
    streams = new TallyStreams(service.deps, polls)
    const app = createHttpApp(service.deps, streamRoutes(service.deps, { pollKeys: new PollKeys(service.db), streams }))
    const peers = peersOf(() => server)
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      development: false,
      fetch: (request) => app.fetch(request, peers),
    })
  })
  afterEach(async () => {
    streams.close()
    await server.stop(true)
  })

  const urlOf = (reference: string) => `${server.url}api/rest/v1/polls/${reference}/tallies/stream`

  const answered = async (reference: string, status: number) =>
    expect((await fetch(urlOf(reference))).status).toBe(status)

  /** Requests a stream on a separate connection, and leaves at the given moment. */
  async function abandon(when: 'at once' | 'when it has begun'): Promise<void> {
    const { slug } = await service.createPoll(brand)
    const { pathname, hostname } = new URL(urlOf(slug))
    const socket = connect(Number(server.port), hostname)
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    await new Promise<void>((resolve) => {
      if (when === 'at once') socket.once('connect', () => resolve())
      else socket.once('data', () => resolve())
    })
    socket.resetAndDestroy()
  }

  const requests = {
    'a draft': async () => answered((await service.createPoll(brand, { isDraft: true })).slug, 404),
    'a poll that never was': () => answered(randomUUID(), 404),
    'a deleted poll': async () => {
      const { slug } = await service.createPoll(brand)
      await deletePoll(service, brand, slug)
      await answered(slug, 404)
    },
    'a poll that was read before it was deleted': async () => {
      const { slug } = await service.createPoll(brand)
      await service.get(`polls/${slug}/tallies`)
      await deletePoll(service, brand, slug)
      await answered(slug, 404)
    },
    'an archived poll': async () => {
      const { slug } = await service.createPoll(brand)
      await patchPoll(service, brand, slug, { archived: true })
      const client = await StreamClient.open(urlOf(slug))
      await client.until(({ events }) => events.length === 1)
      client.leave()
    },
    'a malformed name': () => answered('no%20slug', 422),
    'a poll, left at once': () => abandon('at once'),
    'a poll, left when the stream has begun': () => abandon('when it has begun'),
  }
  const kinds = Object.entries(requests)

  async function isLive(): Promise<void> {
    const { id, slug } = await service.createPoll(brand)
    const client = await StreamClient.open(urlOf(slug))
    await client.until(({ events }) => events.length === 1)
    await service.vote(slug, 'A')
    polls.drop(await pollKeyOf(service, { id }), null)
    await client.until(({ totals }) => totals.at(-1) === 1)
    client.leave()
  }

  test.each(kinds)('for %s: the next stream still receives events', async (_, ask) => {
    await ask()
    await isLive()
  })

  test('for all of these, at once and one after the other: the next stream still receives events', async () => {
    await Promise.all(kinds.map(([, ask]) => ask()))
    await isLive()
    for (const [, ask] of kinds.reverse()) await ask()
    await isLive()
  })
})
