import type { Connection } from './sockets.ts'

export interface Surplus {
  /** How many connections have to be closed. */
  readonly count: number
  readonly mostOfNetwork: number
  /** Proxies: a connection of theirs says nothing of its network. */
  readonly isShared: (peer: string) => boolean
  /** Live streams and exports: answers that go on. */
  readonly isHeld: (connection: Connection) => boolean
  /** How long a connection has been open. */
  readonly ageMs: (connection: Connection) => number
}

/** A request gets this long to arrive and to be answered. After that its speed tells whether it is an upload. */
const YOUNG_MS = 250

/**
 * Which connections to close, the least useful first: without a request, idle after an answer, then the slowest requests.
 * Networks with more than their share give up their surplus before any other.
 */
export function chooseVictims(connections: readonly Connection[], surplus: Surplus): Connection[] {
  const { count, mostOfNetwork, isShared, isHeld } = surplus
  const ofNetwork = new Map<string, number>()
  for (const { network } of connections) ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + 1)
  const ranked = connections
    .filter((each) => !isHeld(each) && !isYoung(each, surplus))
    .map((each) => ({ each, rank: rankOf(each), use: useOf(each, surplus) }))
    .sort((left, right) => left.rank - right.rank || left.use - right.use)
    .map(({ each }) => each)
  const chosen = new Set<Connection>()
  for (const each of ranked) {
    const open = ofNetwork.get(each.network) ?? 0
    if (chosen.size >= count) break
    if (isShared(each.peer) || open <= mostOfNetwork) continue
    ofNetwork.set(each.network, open - 1)
    chosen.add(each)
  }
  for (const each of ranked) {
    if (chosen.size >= count) break
    chosen.add(each)
  }
  return [...chosen]
}

function rankOf({ hasSent, isAnswered }: Connection): number {
  if (!hasSent) return 0
  return isAnswered ? 1 : 2
}

/** Within a rank, the connection with the least use goes first. */
function useOf(connection: Connection, { ageMs }: Surplus): number {
  if (rankOf(connection) < 2) return -Math.min(connection.msSinceReceived, connection.msSinceSent)
  return connection.receivedBytes / ageMs(connection)
}

const isYoung = (connection: Connection, { ageMs }: Surplus): boolean =>
  rankOf(connection) === 2 && ageMs(connection) < YOUNG_MS
