import ipaddr from 'ipaddr.js'
import type { Log } from '../base/log.ts'
import type { AddressRange } from '../config/setting-kinds.ts'

/** The operator's own proxies in a row. Addresses further to the left were written by the client. */
const MOST_HOPS = 20
/** Long enough for an IPv6 address with a zone, in brackets and with a port. */
const LONGEST_ADDRESS = 100

/** Matches an IPv4 address in the notation of the system: no leading zeros, no other bases. */
const USUAL_IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The part of the client's address that one household shares: an IPv4 address, or the /64 of an IPv6 address. */
export const clientNetwork = (...of: Parameters<typeof clientNetworks>): string => clientNetworks(...of)[0]

/**
 * The network of the nearest address that is not a trusted proxy, and the wider ones around it, from which one attacker can
 * take many networks: IPv4 address and /24; IPv6 /64, /56 and /48.
 */
export function clientNetworks(
  peer: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): readonly [string, ...string[]] {
  // Without a proxy nearly always, and parsing would take longer than counting the vote.
  if ((forwardedFor === null || trusted.length === 0) && USUAL_IPV4.test(peer)) return tiersOfIpv4(peer)
  let rest = forwardedFor
  let client = addressOf(peer)
  for (let hops = 0; client && rest !== null && hops < MOST_HOPS && isTrusted(client, trusted); hops++) {
    const comma: number = rest.lastIndexOf(',')
    const next = addressOf(rest.slice(comma + 1).trim())
    if (!next) break
    client = next
    rest = comma < 0 ? null : rest.slice(0, comma)
  }
  if (!client) return ['unknown']
  return client instanceof ipaddr.IPv6 ? tiersOfIpv6(client) : tiersOfIpv4(client.toString())
}

/** The lengths keep the names of different tiers apart. */
function tiersOfIpv6({ parts: [a = 0, b = 0, c = 0, d = 0] }: ipaddr.IPv6): [string, ...string[]] {
  const site = `${a}:${b}:${c}`
  return [`${site}:${d}`, `${site}:${d & 0xff00}/56`, `${site}/48`]
}

const tiersOfIpv4 = (address: string): [string, ...string[]] => [
  address,
  `${address.slice(0, address.lastIndexOf('.'))}/24`,
]

/** True for the machine itself. */
export const isLoopback = (network: string): boolean => network.startsWith('127.') || network === '0:0:0:0'

/** Some proxies append the client's port. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/

function addressOf(text: string): Address | null {
  if (text.length > LONGEST_ADDRESS) return null
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}

/** Behind a proxy peers are few. More of them are clients that invent the header: the oldest are dropped. */
const MOST_PEERS = 16

/** A program on the machine of the proxy may send some requests itself. */
const MOST_UNNAMED = 100

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
  /** How many requests of visitors each trusted peer forwarded without naming them. */
  readonly #unnamed = new Map<string, number>()
  #line: string | null = null
  #hasSilentProxy = false

  constructor(log: Log, trusted: readonly AddressRange[]) {
    this.#log = log
    this.#trusted = trusted
  }

  /** The setting to add, or null while no such proxy was seen. */
  get line(): string | null {
    return this.#line
  }

  /** True if a trusted proxy sends no X-Forwarded-For: all its visitors count as one network, too. */
  get hasSilentProxy(): boolean {
    return this.#hasSilentProxy
  }

  note(peer: string, forwardedFor: string | null): void {
    if (forwardedFor === null) {
      this.#noteUnnamed(peer)
      return
    }
    if (this.#line !== null || this.#trustedPeers.has(peer)) return
    const address = addressOf(peer)
    if (address === null) return
    if (isTrusted(address, this.#trusted)) keep(this.#trustedPeers, peer, true)
    else this.#noteUntrusted(address, forwardedFor)
  }

  #noteUnnamed(peer: string): void {
    if (this.#hasSilentProxy || this.#trusted.length === 0 || this.#trustedPeers.has(peer)) return
    const address = addressOf(peer)
    if (address === null || !isTrusted(address, this.#trusted)) return
    const count = (this.#unnamed.get(peer) ?? 0) + 1
    keep(this.#unnamed, peer, count)
    if (count < MOST_UNNAMED) return
    this.#hasSilentProxy = true
    this.#log.warn(
      'A peer of TRUSTED_PROXIES sends no X-Forwarded-For: all visitors behind it share the limits of one network. Let the proxy set that header to the address of the visitor.',
    )
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
