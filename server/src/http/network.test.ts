import { expect, test } from 'bun:test'
import { readConfig } from '../config.ts'
import { clientNetwork } from './network.ts'

const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1, 2001:db8:ffff::/48' })

test.each([
  ['no proxy is trusted that is not named', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  ['a proxy of ours says who came', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  [
    'the nearest that is not ours counts, not what a client wrote before it',
    '10.1.2.3',
    '1.1.1.1, 203.0.113.9, 10.9.9.9',
    '203.0.113.9',
  ],
  ['what is no address ends the chain', '10.1.2.3', '203.0.113.9, nonsense', '10.1.2.3'],
  ['all of the chain is ours', '10.1.2.3', '10.2.2.2', '10.2.2.2'],
  ['no header at all', '10.1.2.3', null, '10.1.2.3'],
  ['an empty header', '10.1.2.3', '', '10.1.2.3'],
  ['an IPv4 address in IPv6 form is the same one', '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
  ['an IPv6 proxy', '2001:db8:ffff::1', '203.0.113.9', '203.0.113.9'],
  ['an unknown peer', '', '203.0.113.9', 'unknown'],
])('%s', (_, peer, forwarded, network) => {
  expect(clientNetwork(peer, forwarded, trustedProxies)).toBe(network)
})

test('IPv6 addresses of one /64 are one network, and of two are two', () => {
  const [first, second, third] = ['2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::', '2001:db8:1:3:3:4:5:6'].map((address) =>
    clientNetwork(address, null, trustedProxies),
  )
  expect(second).toBe(first ?? '')
  expect(third).not.toBe(first ?? '')
})
