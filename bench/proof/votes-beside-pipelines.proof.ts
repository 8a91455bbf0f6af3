import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { engines } from '../../server/test/engines.ts'
import { computedMs } from '../processes.ts'
import { openScene, type Scene } from '../worst/scene.ts'

// Runs alone: it measures how soon votes are answered.

setDefaultTimeout(180_000)

const API = '/api/rest/v1'
const VOTES = 200
const VOTE_EVERY_MS = 20
const GATHER_MS = 3_000
const AGAIN_MS = 100
const PIPELINED = 900
const SLOW_READERS = 1_500
const MOST_MORE_MS = 50
const BODY = '{"option":"A"}'

interface Attack {
  readonly connections: number
  /** Requests that each connection sends at once. */
  readonly count: number
  readonly path: (scene: Shown) => string
  /** Time that the client leaves an answer unread. */
  readonly readsAfterMs: number
}

interface Shown {
  readonly brand: string
  readonly campaignId: string
}

const progress = ({ campaignId }: Shown): string => `/campaigns/${campaignId}/progress`
const pipelined = { count: PIPELINED, readsAfterMs: 0 }
const slow = { connections: SLOW_READERS, count: 1, readsAfterMs: 1_000 }

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a connection with 900 pipelined requests for the progress in a campaign of 100 polls': {
    ...pipelined,
    connections: 1,
    path: progress,
  },
  'six such connections': { ...pipelined, connections: 6, path: progress },
  'six connections with pipelined requests for own votes': {
    ...pipelined,
    connections: 6,
    path: () => '/polls/hot/votes/me',
  },
  'six connections with pipelined reads from memory': { ...pipelined, connections: 6, path: () => '/polls/hot' },
  '1,500 slow readers of a feed of 100 polls': { ...slow, path: ({ brand }) => `/brands/${brand}/polls?limit=100` },
  '1,500 slow readers of a campaign of 100 polls': { ...slow, path: ({ campaignId }) => `/campaigns/${campaignId}` },
}

/** The returned function ends the attack, and tells how many requests were sent. */
function begin(port: number, text: string, { connections, count, readsAfterMs }: Attack): () => number {
  const sockets = new Set<Socket>()
  let isOver = false
  let sent = 0
  const open = () => {
    if (isOver) return
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text.repeat(count))
      sent += count
    })
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      if (readsAfterMs === 0) return
      socket.pause()
      // Real time: the reader is slow.
      setTimeout(() => {
        socket.resume()
        if (!socket.destroyed && part.includes('HTTP/1.1')) socket.write(text)
      }, readsAfterMs)
    })
    socket.on('close', () => {
      sockets.delete(socket)
      // Real time: the attacker comes again.
      setTimeout(open, count > 1 ? 1 : AGAIN_MS)
    })
  }
  // Real time: they come one after the other.
  for (let i = 0; i < connections; i++) setTimeout(open, (i / connections) * GATHER_MS)
  return () => {
    isOver = true
    for (const socket of sockets) socket.destroy()
    return sent
  }
}

/** The status of a vote on a connection of its own. */
function vote(port: number): Promise<string> {
  const head = `POST ${API}/polls/hot/votes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Device-Id: ${randomUUID()}`
  const rest = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n${rest}`))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed without an answer')))
    socket.on('data', (data) => {
      resolve(String(data).slice(0, 'HTTP/1.1 201'.length))
      socket.destroy()
    })
  })
}

/**
 * Half of the votes wait no longer: the median of the time that the server's main thread computes until their answers. An
 * attack that is answered before votes delays them all; the slowest of them wait for what else the machine does.
 */
async function computedUntilAnswered({ url, pid }: Scene['subject']): Promise<number> {
  // Other programs of the machine take no part in it, as they would in the time of the clock.
  const computed = () => computedMs(pid)
  const votes: Promise<number>[] = []
  for (let i = 0; i < VOTES; i++) {
    const before = computed()
    votes.push(
      vote(Number(new URL(url).port)).then((status) => {
        expect(status).toBe('HTTP/1.1 201')
        return computed() - before
      }),
    )
    // Real time: fifty voters a second.
    await Bun.sleep(VOTE_EVERY_MS)
  }
  const sorted = (await Promise.all(votes)).sort((a, b) => a - b)
  return sorted[VOTES / 2] ?? Number.POSITIVE_INFINITY
}

describe.if(process.platform === 'linux').each([...engines])('%s: votes of others', (engine) => {
  let scene: Scene
  let shown: Shown
  let calm: number
  beforeAll(async () => {
    scene = await openScene(engine)
    const brand = scene.subject.owner.brandSlug
    const answer = await fetch(`${scene.subject.url}${API}/brands/${brand}/campaigns?limit=1`)
    const { data } = (await answer.json()) as { data: { campaignId: string }[] }
    shown = { brand, campaignId: data[0]?.campaignId ?? '' }
    // The first votes are slower until their code is compiled.
    await computedUntilAnswered(scene.subject)
    calm = await computedUntilAnswered(scene.subject)
  })
  afterAll(() => scene.subject.stop())

  test.each(Object.entries(ATTACKS))('wait at most 50 ms more beside %s', async (name, attack) => {
    const request = `GET ${API}${attack.path(shown)} HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\n\r\n`
    const end = begin(Number(new URL(scene.subject.url).port), request, attack)
    // Real time: until the attackers are there.
    await Bun.sleep(GATHER_MS)
    const attacked = await computedUntilAnswered(scene.subject)
    // Where reads wait for PostgreSQL, Bun closes a pipeline without an answer.
    expect(end()).toBeGreaterThanOrEqual(attack.connections * attack.count)
    expect([name, attacked, attacked - calm < MOST_MORE_MS]).toEqual([name, attacked, true])
  })
})
