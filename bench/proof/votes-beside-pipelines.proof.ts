import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { engines } from '../../server/test/engines.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { computedMs } from '../processes.ts'
import { openScene, type Scene } from '../worst/scene.ts'

// Runs alone: it measures how soon votes are answered.

setDefaultTimeout(180_000)

const API = '/api/rest/v1'
const VOTES = 100
const VOTE_EVERY_MS = 20
const GATHER_MS = { few: 500, many: 3_000 }
const AGAIN_MS = 100
const PIPELINED = 900
const SLOW_READERS = 1_500
/** Where a calm vote is answered after a millisecond. A slower machine takes longer for all of it. */
const MOST_MORE_MS = 50
/** More than commit at once, so that none waits for another. */
const CLIENTS = 16
const BODY = '{"option":"A"}'

interface Attack {
  readonly connections: number
  /** Requests that each connection sends at once. */
  readonly count: number
  readonly path: (scene: Shown) => string
  /** Time that the client leaves an answer unread. */
  readonly readsAfterMs: number
  /** Time in which the attackers come. */
  readonly gatherMs: number
}

interface Shown {
  readonly brand: string
  readonly campaignId: string
}

const progress = ({ campaignId }: Shown): string => `/campaigns/${campaignId}/progress`
const pipelined = { count: PIPELINED, readsAfterMs: 0, gatherMs: GATHER_MS.few }
const slow = { connections: SLOW_READERS, count: 1, readsAfterMs: 1_000, gatherMs: GATHER_MS.many }

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
function begin(port: number, text: string, { connections, count, readsAfterMs, gatherMs }: Attack): () => number {
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
  for (let i = 0; i < connections; i++) setTimeout(open, (i / connections) * gatherMs)
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

/** A commit of this process on the same database, at once where there is none. */
type Commit = () => Promise<unknown>

/**
 * Half of the votes wait no longer: the median of the time that the server's main thread computes until their answers. An
 * attack that is answered before votes delays them all; the slowest of them wait for what else the machine does. The
 * processor is taken from PostgreSQL too, and meanwhile a server under attack computes: what it does during the commit of
 * another program is left out.
 */
async function computedUntilAnswered({ url, pid }: Scene['subject'], commit: Commit): Promise<number> {
  // Other programs of the machine take no part in it, as they would in the time of the clock.
  const since = (before: number) => computedMs(pid) - before
  const votes: Promise<number>[] = []
  const commits: Promise<number>[] = []
  for (let i = 0; i < VOTES; i++) {
    const before = computedMs(pid)
    votes.push(
      vote(Number(new URL(url).port)).then((status) => {
        expect(status).toBe('HTTP/1.1 201')
        return since(before)
      }),
    )
    commits.push(commit().then(() => since(before)))
    // Real time: fifty voters a second.
    await Bun.sleep(VOTE_EVERY_MS)
  }
  return (await middle(votes)) - (await middle(commits))
}

async function middle(waits: readonly Promise<number>[]): Promise<number> {
  const sorted = (await Promise.all(waits)).sort((a, b) => a - b)
  return sorted[VOTES / 2] ?? Number.POSITIVE_INFINITY
}

describe.if(process.platform === 'linux').each([...engines])('%s: votes of others', (engine) => {
  let scene: Scene
  let shown: Shown
  let calm: number
  let database: pg.Pool | null
  const commit: Commit = async () => database?.query('select pg_current_xact_id()')
  beforeAll(async () => {
    scene = await openScene(engine)
    const brand = scene.subject.owner.brandSlug
    const answer = await fetch(`${scene.subject.url}${API}/brands/${brand}/campaigns?limit=1`)
    const { data } = (await answer.json()) as { data: { campaignId: string }[] }
    shown = { brand, campaignId: data[0]?.campaignId ?? '' }
    database = engine === 'postgres' ? new pg.Pool({ connectionString: ADMIN_URL, max: CLIENTS }) : null
    // The first votes are slower until their code is compiled.
    await computedUntilAnswered(scene.subject, commit)
    calm = await computedUntilAnswered(scene.subject, commit)
  })
  afterAll(async () => {
    await database?.end()
    await scene.subject.stop()
  })

  test.each(Object.entries(ATTACKS))('wait at most 50 ms more beside %s', async (name, attack) => {
    const request = `GET ${API}${attack.path(shown)} HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\n\r\n`
    const end = begin(Number(new URL(scene.subject.url).port), request, attack)
    // Real time: until the attackers are there.
    await Bun.sleep(attack.gatherMs)
    const attacked = await computedUntilAnswered(scene.subject, commit)
    // Where reads wait for PostgreSQL, Bun closes a pipeline without an answer.
    expect(end()).toBeGreaterThanOrEqual(attack.connections * attack.count)
    const most = calm + MOST_MORE_MS * Math.max(1, calm)
    expect([name, calm, attacked, attacked < most]).toEqual([name, calm, attacked, true])
  })
})
