import ipaddr from 'ipaddr.js'
import type { AddressRange } from '../config/setting-kinds.ts'

/** The operator's own proxies in a row. Addresses further to the left were written by the client. */
const MOST_HOPS = 20
/** Long enough for an IPv6 address with a zone, in brackets and with a port. */
const LONGEST_ADDRESS = 100

/** Matches an IPv4 address in the notation of the system: no leading zeros, no other bases. */
const USUAL_IPV4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * The client's network: the part of its address that one household or office shares, an IPv4 address or the /64 of an IPv6
 * address.
 */
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

export function addressOf(text: string): Address | null {
  if (text.length > LONGEST_ADDRESS) return null
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

export function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
