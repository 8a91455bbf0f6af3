import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { readConfig } from '../config.ts'
import { clientNetwork } from './network.ts'

const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32' })

describe('without trusted proxies', () => {
  test('the peer is the client, whatever the header says', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (peer, forwarded) => {
        expect(clientNetwork(peer, forwarded, [])).toBe(ipaddr.parse(peer).toString())
      }),
    )
  })
})

describe('behind trusted proxies', () => {
  test.each([
    ['one hop', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['two hops', '10.0.0.1', '198.51.100.7, 10.2.2.2', '198.51.100.7'],
    ['a hop over IPv6', '2001:db8::9', '198.51.100.7', '198.51.100.7'],
    ['a client that invents addresses', '10.0.0.1', '203.0.113.1, 10.9.9.9, 198.51.100.7', '198.51.100.7'],
    ['a peer that is no proxy', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['no header', '10.0.0.1', null, '10.0.0.1'],
    ['an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['only proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['an address with its port', '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    [
      'an IPv6 address with its port',
      '10.0.0.1',
      '[2001:db9:1:2::3]:4711',
      '2001:db9:1:2'
        .split(':')
        .map((part) => Number.parseInt(part, 16))
        .join(':'),
    ],
    ['what is no address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['what is no address before a proxy', '10.0.0.1', '198.51.100.7, <script>, 10.0.0.2', '10.0.0.2'],
    ['an IPv4 peer in IPv6 clothes', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ])('%s', (_name, peer, forwarded, network) => {
    expect(clientNetwork(peer, forwarded, trustedProxies)).toBe(network)
  })
})

test('an IPv6 client is its /64, so that an address for each request wins nothing', () => {
  const network = (address: string) => clientNetwork(address, null, [])
  expect(network('2001:db9:1:2::1')).toBe(network('2001:db9:1:2:ffff:ffff:ffff:ffff'))
  expect(network('2001:db9:1:2::1')).not.toBe(network('2001:db9:1:3::1'))
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const { parts } = ipaddr.IPv6.parse(address)
      const neighbour = new ipaddr.IPv6([...parts.slice(0, 4), 1, 2, 3, 4]).toString()
      if (!ipaddr.IPv6.parse(address).isIPv4MappedAddress()) expect(network(address)).toBe(network(neighbour))
    }),
  )
})

test('a peer without an address is one network', () => {
  expect(clientNetwork('', null, [])).toBe('unknown')
})
