import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All IPv4 networks that are not public, and Azure's metadata address, which looks public. */
const RESERVED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/**
 * The only IPv6 range in public use. Outside it are loopback, link-local and unique local addresses, multicast,
 * and addresses that embed IPv4: mapped, compatible, translated and NAT64.
 */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Protocols (Teredo among them), documentation, 6to4, AS112, documentation. */
const RESERVED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)

/** True for a reserved address, and for anything that is not a plain address. */
export function isReserved(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return true
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return RESERVED_IPV4.some((range) => parsed.match(range))
  return !parsed.match(PUBLIC_IPV6) || RESERVED_IPV6.some((range) => parsed.match(range))
}
