import ipaddr from 'ipaddr.js'
import type { AddressRange } from '../config.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * The nearest address that is not one of our own proxies, cut to what one household or office shares:
 * an IPv4 address, or the /64 of an IPv6 address.
 */
export function clientNetwork(peer: string, forwardedFor: string | null, trusted: readonly AddressRange[]): string {
  const chain = (forwardedFor ?? '').split(',').map((entry) => entry.trim())
  let client = parse(peer)
  while (client && chain.length > 0 && isTrusted(client, trusted)) {
    const next = parse(chain.pop() ?? '')
    if (!next) break
    client = next
  }
  if (!client) return 'unknown'
  return client instanceof ipaddr.IPv6 ? client.parts.slice(0, 4).join(':') : client.toString()
}

/** The network of this machine itself. */
export const isLoopback = (network: string): boolean => network.startsWith('127.') || network === '0:0:0:0'

/** Some proxies add the port that the client came from. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/

function parse(text: string): Address | null {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? dotted ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
