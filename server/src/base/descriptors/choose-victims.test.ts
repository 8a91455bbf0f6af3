import { describe, expect, test } from 'bun:test'
import { chooseVictims, type Surplus } from './choose-victims.ts'
import type { Connection } from './sockets.ts'

const OLD_MS = 10_000

const kinds = {
  silent: { hasSent: false, isAnswered: false, receivedBytes: 0, msSinceReceived: OLD_MS, msSinceSent: OLD_MS },
  idle: { hasSent: true, isAnswered: true, receivedBytes: 90, msSinceReceived: OLD_MS, msSinceSent: OLD_MS - 1 },
  fresh: { hasSent: true, isAnswered: true, receivedBytes: 90, msSinceReceived: 5, msSinceSent: 4 },
  slow: { hasSent: true, isAnswered: false, receivedBytes: 90, msSinceReceived: 900, msSinceSent: OLD_MS },
  upload: { hasSent: true, isAnswered: false, receivedBytes: 900_000, msSinceReceived: 1, msSinceSent: OLD_MS },
} as const

let ports = 1_000
function connection(kind: keyof typeof kinds, more: Partial<Connection> = {}): Connection {
  const peerPort = ports++
  return { descriptor: peerPort, peer: '192.0.2.1', network: '192.0.2.1', peerPort, ...kinds[kind], ...more }
}

const surplus = (count: number, more: Partial<Surplus> = {}): Surplus => ({
  count,
  mostOfNetwork: 1_000,
  isShared: () => false,
  isHeld: () => false,
  ageMs: () => OLD_MS,
  ...more,
})

describe('connections are closed', () => {
  test('the least useful first: silent ones, idle ones by their rest, and then the slowest requests', () => {
    const [silent, idle, fresh, slow, upload] = (['silent', 'idle', 'fresh', 'slow', 'upload'] as const).map((kind) =>
      connection(kind),
    ) as [Connection, Connection, Connection, Connection, Connection]
    expect(chooseVictims([upload, slow, fresh, idle, silent], surplus(5))).toEqual([silent, idle, fresh, slow, upload])
    expect(chooseVictims([upload, slow, fresh, idle, silent], surplus(2))).toEqual([silent, idle])
    expect(chooseVictims([upload, slow, fresh, idle, silent], surplus(0))).toEqual([])
    expect(chooseVictims([upload, slow, fresh, idle, silent], surplus(-3))).toEqual([])
  })

  test('never while a request is young, or its answer goes on', () => {
    const vote = connection('slow')
    const stream = connection('idle')
    const isHeld = ({ peerPort }: Connection) => peerPort === stream.peerPort
    expect(chooseVictims([vote, stream], surplus(2, { isHeld, ageMs: () => 100 }))).toEqual([])
  })

  test('first of a network that has more than its share, but never for the sake of a proxy', () => {
    const crowd = Array.from({ length: 6 }, () => connection('slow', { peer: '198.51.100.7', network: '198.51.100.7' }))
    const other = connection('silent')
    const all = [other, ...crowd]
    expect(chooseVictims(all, surplus(4, { mostOfNetwork: 3 }))).toEqual([...crowd.slice(0, 3), other])
    const isShared = (peer: string) => peer === '198.51.100.7'
    expect(chooseVictims(all, surplus(2, { mostOfNetwork: 3, isShared }))).toEqual([other, ...crowd.slice(0, 1)])
  })
})
