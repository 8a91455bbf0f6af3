import { describe, expect, test } from 'bun:test'
import { createLog } from '../../base/log.ts'
import { readConfig } from '../../config/config.ts'
import { ProxyWatch } from './proxy-watch.ts'

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
