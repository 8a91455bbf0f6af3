import type { Log } from '../../base/log.ts'
import type { AddressRange } from '../../config/setting-kinds.ts'
import { type Address, addressOf, isTrusted } from '../network.ts'

/** Behind a proxy peers are few. More of them are clients that invent the header: the oldest are dropped. */
const MOST_PEERS = 16

/** Ranges in which a proxy of one's own stands, and no visitor of the public internet. */
const OWN_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'])

/**
 * Notices a proxy that TRUSTED_PROXIES does not name: a peer that forwards requests of more than one client. All its visitors
 * count as one network then, and share its limits.
 */
export class ProxyWatch {
  readonly #log: Log
  readonly #trusted: readonly AddressRange[]
  readonly #trustedPeers = new Map<string, true>()
  /** The first client that each untrusted peer forwarded. */
  readonly #clients = new Map<string, string>()
  #line: string | null = null

  constructor(log: Log, trusted: readonly AddressRange[]) {
    this.#log = log
    this.#trusted = trusted
  }

  /** The setting to add, or null while no such proxy was seen. */
  get line(): string | null {
    return this.#line
  }

  note(peer: string, forwardedFor: string): void {
    if (this.#line !== null || this.#trustedPeers.has(peer)) return
    const address = addressOf(peer)
    if (address === null) return
    if (isTrusted(address, this.#trusted)) keep(this.#trustedPeers, peer, true)
    else this.#noteUntrusted(address, forwardedFor)
  }

  #noteUntrusted(peer: Address, forwardedFor: string): void {
    const client = addressOf(forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim())?.toString()
    if (client === undefined) return
    const earlier = this.#clients.get(peer.toString())
    if (earlier === undefined) keep(this.#clients, peer.toString(), client)
    if (earlier === undefined || earlier === client) return
    this.#clients.clear()
    this.#line = lineFor(peer, this.#trusted)
    this.#log.warn(
      { set: this.#line },
      `X-Forwarded-For comes from a peer that is not trusted: all visitors behind it share the limits of one network. If it is your proxy, set ${this.#line}`,
    )
  }
}

function keep<Value>(kept: Map<string, Value>, peer: string, value: Value): void {
  const [oldest] = kept.keys()
  if (kept.size >= MOST_PEERS && oldest !== undefined) kept.delete(oldest)
  kept.set(peer, value)
}

/** A public peer is not named: it may be a visitor who invents the header, and no address of a visitor is logged. */
function lineFor(peer: Address, trusted: readonly AddressRange[]): string {
  const known = trusted.map(([range, bits]) => (isSingle(range, bits) ? `${range}` : `${range}/${bits}`))
  const added = OWN_RANGES.has(peer.range()) ? peer.toString() : '<address of the proxy>'
  return `TRUSTED_PROXIES=${[...known, added].join(',')}`
}

const isSingle = (range: Address, bits: number): boolean => bits === (range.kind() === 'ipv4' ? 32 : 128)
