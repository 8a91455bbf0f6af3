import { closeSync, openSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { chooseVictims } from './choose-victims.ts'
import type { DescriptorShares } from './descriptor-limit.ts'
import type { Connection, Sockets } from './sockets.ts'

interface Watched {
  readonly sockets: Sockets
  readonly port: number
  readonly limit: number
  readonly shares: DescriptorShares
  readonly isShared: (peer: string) => boolean
  readonly log: Log
}

/** Nobody opens more connections in a millisecond: with much room left, the next look can wait. */
const MOST_OPENED_IN_A_MS = 50
const SOONEST_MS = 20
const LATEST_MS = 250
/** A system call each: between two slices, requests are answered. */
const SLICE = 4_096
const GAPS = 16
/** A stream sends a comment at least every 25 s; a connection that was silent for longer has ended its long answer. */
const HELD_MS = 40_000
const LOGGED_EVERY_MS = 60_000

const keyOf = ({ peer, peerPort }: Pick<Connection, 'peer' | 'peerPort'>): string => `${peer} ${peerPort}`

/**
 * Bounds the open connections, so that descriptors are left for new voters. Bun accepts without a bound and shows connections
 * only with their requests, so this asks the kernel, and only while many descriptors are in use.
 */
export class ConnectionWatch {
  readonly #watched: Watched
  #timer: NodeJS.Timeout | null = null
  #isStopped = false
  #held = new Set<number>()
  /** When connections were seen first, while descriptors are scarce. */
  #seen = new Map<string, number>()
  #closed = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(watched: Watched) {
    this.#watched = watched
    this.#lookAfter(SOONEST_MS)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** The answer on the connection from this port of a client goes on for long, and is no sign of an idle client. */
  hold(peerPort: number): void {
    this.#held.add(peerPort)
  }

  #lookAfter(milliseconds: number): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#look(), milliseconds).unref()
  }

  async #look(): Promise<void> {
    const room = this.#watched.shares.connections - highestOfSome()
    if (room <= 0) await this.#boundOrLog()
    this.#lookAfter(Math.min(Math.max(room / MOST_OPENED_IN_A_MS, SOONEST_MS), LATEST_MS))
  }

  async #boundOrLog(): Promise<void> {
    try {
      await this.#bound()
    } catch (err) {
      this.#watched.log.error({ err }, 'bounding the open connections failed')
    }
  }

  async #bound(): Promise<void> {
    const heldBefore = [...this.#held]
    const connections: Connection[] = []
    for (let from = 0; from < this.#watched.limit; from += SLICE) {
      if (from > 0) await turn()
      const to = Math.min(from + SLICE, this.#watched.limit)
      connections.push(...this.#watched.sockets.connections(this.#watched.port, from, to))
    }
    this.#note(connections, heldBefore)
    this.#close(connections)
  }

  #note(connections: readonly Connection[], heldBefore: readonly number[]): void {
    const now = performance.now()
    this.#seen = new Map(connections.map((each) => [keyOf(each), this.#seen.get(keyOf(each)) ?? now]))
    const ports = new Set(connections.map(({ peerPort }) => peerPort))
    for (const port of heldBefore) if (!ports.has(port)) this.#held.delete(port)
  }

  #close(connections: readonly Connection[]): void {
    const { shares, sockets, isShared } = this.#watched
    const now = performance.now()
    const victims = chooseVictims(connections, {
      count: connections.length - shares.connections,
      mostOfNetwork: shares.connectionsOfNetwork,
      isShared,
      isHeld: ({ peerPort, msSinceSent }) => this.#held.has(peerPort) && msSinceSent < HELD_MS,
      ageMs: (each) => now - (this.#seen.get(keyOf(each)) ?? now),
    })
    for (const victim of victims) if (sockets.end(victim)) this.#closed++
    if (this.#closed === 0 || now - this.#loggedAt < LOGGED_EVERY_MS) return
    this.#loggedAt = now
    this.#watched.log.warn(
      { closed: this.#closed, connections: connections.length, limit: this.#watched.limit },
      'too many connections for the limit of open files: idle and slow ones are closed',
    )
    this.#closed = 0
  }
}

/**
 * The kernel gives out the lowest free number, so a high one means that about so many are in use. Several are tried, because files that
 * were closed leave gaps. Infinite if that many are not free.
 */
function highestOfSome(): number {
  const opened: number[] = []
  try {
    while (opened.length < GAPS) opened.push(openSync('/dev/null', 'r'))
    return opened.at(-1) ?? 0
  } catch {
    return Number.POSITIVE_INFINITY
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}
