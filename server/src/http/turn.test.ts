import { describe, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LOCAL } from '../../test/peers.ts'
import { ClientGone, Incoming } from './incoming.ts'
import { TookTooLong } from './limits/deadlines.ts'
import { Turn } from './turn.ts'

const requestOf = (connection: string) => new Request(`http://tossup/${connection}`)
const peers = { ...LOCAL, connectionOf: (request: Request) => new URL(request.url).pathname }

/** The index of the first request, of connections in this order, whose answer ends its connection. */
const firstLast = (turn: Turn, connections: readonly string[]): number =>
  connections.findIndex((connection) => turn.isLast(requestOf(connection), peers))

const repeated = (connection: string, count: number): string[] => Array.from({ length: count }, () => connection)

describe('a pipeline', () => {
  test('ends with its 16th request in one turn, and a shorter one goes on', async () => {
    expect(firstLast(new Turn(), repeated('a', 900))).toBe(15)
    const turn = new Turn()
    for (let i = 0; i < 10; i++) {
      expect(firstLast(turn, repeated('a', 8))).toBe(-1)
      await nextTurn()
    }
  })

  test('behind any number of other requests is never longer than 16', () => {
    for (let before = 0; before < 20; before++) {
      const others = Array.from({ length: before }, (_, i) => `other ${i}`)
      const at = firstLast(new Turn(), [...others, ...repeated('a', 900)]) - before
      expect([before, at >= 8, at <= 15]).toEqual([before, true, true])
    }
  })

  test('is not what a crowd sends, nor a connection that is closed', () => {
    const crowd = Array.from({ length: 1_000 }, (_, i) => `visitor ${i}`)
    expect(firstLast(new Turn(), crowd)).toBe(-1)
    expect(Array.from({ length: 100 }, () => new Turn().isLast(requestOf('a'), LOCAL))).not.toContain(true)
    const turn = new Turn()
    expect(repeated('a', 100).map((name) => turn.isLast(requestOf(name), LOCAL))).not.toContain(true)
  })
})

const READS = 40
const READ_MS = 3

interface Began {
  readonly turn: number
  readonly i: number
}

/** Reads that arrive in one turn, each of which keeps the event loop busy. */
function arrive(signal = new AbortController().signal, answerWithinMs = 60_000) {
  const turn = new Turn()
  const began: Began[] = []
  let turns = 0
  let isOver = false
  void (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  const answers = Array.from({ length: READS }, (_, i) => {
    const request = new Request('http://tossup/', { signal })
    turn.isLast(request, LOCAL)
    const incoming = new Incoming(request, { peers: LOCAL, trustedProxies: [], proxyWatch: { note: () => undefined } })
    incoming.answerBy = performance.now() + answerWithinMs
    return turn.read(incoming, async () => {
      began.push({ turn: turns, i })
      Bun.sleepSync(READ_MS)
      return i
    })
  })
  const all = Promise.allSettled(answers).then((settled) => {
    isOver = true
    return settled
  })
  return { all, began }
}

describe('reads that arrive together', () => {
  test('are all answered, in their order, a few in each turn', async () => {
    const { all, began } = arrive()
    const answered = (await all).map((answer) => answer.status === 'fulfilled' && answer.value)
    expect(answered).toEqual(Array.from({ length: READS }, (_, i) => i))
    expect(began.map(({ i }) => i)).toEqual(answered as number[])
    const inATurn = Map.groupBy(began, (each) => each.turn)
    expect(Math.max(...[...inATurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(2)
    // Turns between them are free for votes.
    const [first = 0, ...others] = inATurn.keys()
    expect((others.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(4 * others.length)
  })

  test('of clients that leave, or whose deadline has passed, are not begun', async () => {
    const leaving = new AbortController()
    const left = arrive(leaving.signal)
    leaving.abort()
    const late = arrive(undefined, 0)
    for (const [{ all, began }, reason] of [
      [left, ClientGone],
      [late, TookTooLong],
    ] as const) {
      const settled = await all
      expect(began.length).toBeLessThanOrEqual(2)
      const refused = settled.filter((each) => each.status === 'rejected' && each.reason instanceof reason)
      expect(refused).toHaveLength(READS - began.length)
    }
  })

  test('wait for at most four that are running, but not for long', async () => {
    const turn = new Turn()
    const surroundings = { peers: LOCAL, trustedProxies: [], proxyWatch: { note: () => undefined } }
    const drawn = Promise.withResolvers<void>()
    turn.isLast(requestOf('a'), LOCAL)
    const begunAt: number[] = []
    const slow = Array.from({ length: 4 }, () =>
      turn.read(new Incoming(requestOf('a'), surroundings), () => {
        begunAt.push(performance.now())
        return drawn.promise
      }),
    )
    const last = async () => begunAt.push(performance.now())
    expect(await turn.read(new Incoming(requestOf('b'), surroundings), last)).toBe(5)
    // It took the place of the first one, which had 25 ms; timers are a little early.
    expect((begunAt[4] ?? 0) - (begunAt[0] ?? 0)).toBeGreaterThan(23)
    drawn.resolve()
    await Promise.all(slow)
  })

  test('are each begun once, also where they come while the last ones are served', async () => {
    const surroundings = { peers: LOCAL, trustedProxies: [], proxyWatch: { note: () => undefined } }
    const below = (limit: number) => Math.floor(Math.random() * limit)
    const pass = async (turns: number) => {
      for (let i = 0; i < turns; i++) await nextTurn()
    }
    for (let round = 0; round < 40; round++) {
      const turn = new Turn()
      const begun: number[] = []
      const answers: Promise<void>[] = []
      for (let burst = 0; burst < 20; burst++) {
        for (let more = 1 + below(12); more > 0; more--) {
          const i = answers.length
          const request = requestOf(`visitor ${i}`)
          turn.isLast(request, LOCAL)
          answers.push(
            turn.read(new Incoming(request, surroundings), () => {
              begun.push(i)
              return pass(below(9))
            }),
          )
        }
        await pass(below(14))
      }
      await Promise.all(answers)
      expect(begun.toSorted((left, right) => left - right)).toEqual(answers.map((_, i) => i))
    }
  })

  test('that fail do not stop the others', async () => {
    const turn = new Turn()
    const surroundings = { peers: LOCAL, trustedProxies: [], proxyWatch: { note: () => undefined } }
    const answers = Array.from({ length: 10 }, (_, i) => {
      const request = requestOf('a')
      turn.isLast(request, LOCAL)
      return turn.read(new Incoming(request, surroundings), async () => {
        Bun.sleepSync(READ_MS)
        if (i % 2 === 0) throw new Error(`read ${i}`)
        return i
      })
    })
    const settled = await Promise.allSettled(answers)
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(settled.map((_, i) => i % 2 === 1))
  })
})
