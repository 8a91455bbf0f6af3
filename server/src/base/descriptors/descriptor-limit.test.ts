import { expect, test } from 'bun:test'
import { descriptorLimit, parseLimit, sharesOf } from './descriptor-limit.ts'

const limits = (soft: string): string => `Limit                     Soft Limit           Hard Limit           Units
Max processes             127235               127235               processes
Max open files            ${soft.padEnd(20)} 524288               files
Max locked memory         8388608              8388608              bytes`

test('the limit of open files is read from what the kernel says of this process', () => {
  expect(parseLimit(limits('1024'))).toBe(1_024)
  expect(parseLimit(limits('1048576'))).toBe(1_048_576)
  expect(parseLimit(limits('unlimited'))).toBeNull()
  expect(parseLimit('')).toBeNull()
})

test.if(process.platform === 'linux')('the runtime raises the soft limit to the hard limit', async () => {
  const entry = new URL('./descriptor-limit.ts', import.meta.url).pathname
  const script = `const { descriptorLimit } = await import(${JSON.stringify(entry)}); console.log(descriptorLimit())`
  const child = Bun.spawn(['prlimit', '--nofile=256:512', process.execPath, '-e', script], { stdout: 'pipe' })
  expect(await child.stdout.text()).toBe('512\n')
  expect(descriptorLimit()).toBeGreaterThan(512)
})

test.each([128, 256, 1_024, 4_096, 20_000])('the shares of a limit of %d leave room for files', (limit) => {
  const { connections, connectionsOfNetwork, streams, deliveries } = sharesOf(limit)
  expect(connections + Math.min(512, deliveries)).toBeLessThan(limit * 0.95)
  expect(connections).toBeGreaterThan(limit / 2)
  expect(streams).toBeLessThan(connections * 0.9)
  expect(streams).toBeGreaterThan(limit / 3)
  expect(connectionsOfNetwork).toBeGreaterThan(connections / 3)
})
