import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/config.ts'
import { clientNetwork, clientNetworks, ProxyWatch } from './network.ts'

function watching(trusted = '') {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const watch = new ProxyWatch(log, readConfig({ TRUSTED_PROXIES: trusted }).trustedProxies)
  return { watch, lines }
}

describe('a proxy that is not trusted', () => {
  test.each([
    ['127.0.0.1', '', 'TRUSTED_PROXIES=127.0.0.1'],
    ['::ffff:10.1.2.3', '', 'TRUSTED_PROXIES=10.1.2.3'],
    ['172.17.0.1', '10.0.0.0/8,2001:db8::1', 'TRUSTED_PROXIES=10.0.0.0/8,2001:db8::1,172.17.0.1'],
    ['fd00::5', '', 'TRUSTED_PROXIES=fd00::5'],
    ['203.0.113.9', '10.0.0.1', 'TRUSTED_PROXIES=10.0.0.1,<address of the proxy>'],
    ['2001:4860:1::9', '', 'TRUSTED_PROXIES=<address of the proxy>'],
  ])('%s beside %p is told once, with the line to set', (peer, trusted, line) => {
    const { watch, lines } = watching(trusted)
    for (let i = 0; i < 5; i++) watch.note(peer, '198.51.100.1')
    expect([watch.line, lines]).toEqual([null, []])
    for (let i = 0; i < 50; i++) watch.note(peer, `10.9.9.9, 198.51.100.${i}`)
    expect(watch.line).toBe(line)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', set: line })
    expect(lines[0]).toContain(`set ${line}`)
    expect(lines[0]).not.toMatch(/198\.51|203\.0\.113|2001:4860/)
  })

  test('is logged also after many peers that forwarded one client each', () => {
    const { watch } = watching()
    for (let i = 0; i < 200; i++) watch.note(`10.0.0.${i}`, '192.0.2.1')
    for (let i = 0; i < 2; i++) watch.note('10.1.1.1', `192.0.2.${i}`)
    expect(watch.line).toBe('TRUSTED_PROXIES=10.1.1.1')
  })

  test('is not told for a peer that is trusted, by address or network, however many clients it forwards', () => {
    const { watch, lines } = watching('10.0.0.0/8')
    for (let peer = 0; peer < 40; peer++) for (let i = 0; i < 5; i++) watch.note(`10.0.0.${peer}`, `192.0.2.${i}`)
    expect([watch.line, lines]).toEqual([null, []])
  })

  test('is not logged for one client, for an invalid address, or for many peers of one client each', () => {
    const { watch, lines } = watching()
    for (let i = 0; i < 100; i++) watch.note('127.0.0.1', '198.51.100.1')
    for (const forged of ['', ',', 'unknown', '<script>', 'x'.repeat(10_000)]) watch.note('127.0.0.1', forged)
    for (let i = 0; i < 200; i++) watch.note(`203.0.113.${i}`, `192.0.2.${i}`)
    expect([watch.line, lines]).toEqual([null, []])
  })
})

const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32' })

describe('without trusted proxies', () => {
  test('X-Forwarded-For is ignored: the peer is the client', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (peer, forwarded) => {
        expect(clientNetwork(peer, forwarded, [])).toBe(ipaddr.parse(peer).toString())
      }),
    )
  })
})

test('every spelling of an IPv4 address is one network', () => {
  for (const peer of ['127.0.0.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '127.1', '::ffff:127.0.0.1']) {
    expect(clientNetwork(peer, null, trustedProxies)).toBe('127.0.0.1')
  }
  for (const peer of ['256.0.0.1', '1.2.3', '1.2.3.4.5', '1.2.3.4\n', '01.2.3.4.']) {
    expect(clientNetwork(peer, null, [])).not.toBe(peer)
  }
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

test('an IPv6 client is its /64, so that changing addresses gains nothing', () => {
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

describe('the wider networks around a client', () => {
  test.each([
    ['198.51.100.7', ['198.51.100.7', '198.51.100/24']],
    ['::ffff:198.51.100.7', ['198.51.100.7', '198.51.100/24']],
    ['2001:db8:1:2ff::1', ['8193:3512:1:767', '8193:3512:1:512/56', '8193:3512:1/48']],
    ['', ['unknown']],
  ])('%s', (peer, networks) => {
    expect(clientNetworks(peer, null, [])).toEqual(networks as [string])
    expect(clientNetwork(peer, null, [])).toBe(networks[0] ?? '')
  })

  test('are shared by neighbours and by nobody else', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 0, max: 0xffff }), (address, block) => {
        const { parts } = ipaddr.IPv6.parse(address)
        fc.pre(!ipaddr.IPv6.parse(address).isIPv4MappedAddress())
        const neighbour = new ipaddr.IPv6([...parts.slice(0, 3), block, 1, 2, 3, 4]).toString()
        const [own, wide, widest] = clientNetworks(address, null, [])
        const [theirs, theirWide, theirWidest] = clientNetworks(neighbour, null, [])
        expect(theirWidest).toBe(widest)
        expect(theirWide === wide).toBe(parts[3] !== undefined && parts[3] >> 8 === block >> 8)
        expect(theirs === own).toBe(parts[3] === block)
      }),
    )
  })
})

test('all peers without an address are one network', () => {
  expect(clientNetwork('', null, [])).toBe('unknown')
})
