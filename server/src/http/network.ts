import ipaddr from 'ipaddr.js'
import type { AddressRange } from '../config.ts'

/** Proxies of one's own, each behind the next. What stands further to the left was written by the client. */
const MOST_HOPS = 20
/** An IPv6 address with a zone, in brackets and with a port. */
const LONGEST_ADDRESS = 100

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * The nearest address that is not one of our own proxies, cut to what one household or office shares:
 * an IPv4 address, or the /64 of an IPv6 address.
 */
export function clientNetwork(peer: string, forwardedFor: string | null, trusted: readonly AddressRange[]): string {
  let rest = forwardedFor
  let client = parse(peer)
  for (let hops = 0; client && rest !== null && hops < MOST_HOPS && isTrusted(client, trusted); hops++) {
    const comma: number = rest.lastIndexOf(',')
    const next = parse(rest.slice(comma + 1).trim())
    if (!next) break
    client = next
    rest = comma < 0 ? null : rest.slice(0, comma)
  }
  if (!client) return 'unknown'
  return client instanceof ipaddr.IPv6 ? client.parts.slice(0, 4).join(':') : client.toString()
}

/** The network of this machine itself. */
export const isLoopback = (network: string): boolean => network.startsWith('127.') || network === '0:0:0:0'

/** Some proxies add the port that the client came from. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/

function parse(text: string): Address | null {
  if (text.length > LONGEST_ADDRESS) return null
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
