import { expect, test } from 'bun:test'
import { isLowLimit, openFileLimit, parseLimit } from './machine.ts'

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
  const entry = new URL('./machine.ts', import.meta.url).pathname
  const script = `const { openFileLimit } = await import(${JSON.stringify(entry)}); console.log(openFileLimit())`
  const child = Bun.spawn(['prlimit', '--nofile=256:512', process.execPath, '-e', script], { stdout: 'pipe' })
  expect(await child.stdout.text()).toBe('512\n')
  expect(openFileLimit()).toBeGreaterThan(512)
})

test('a limit is low if open streams could leave no room for voters', () => {
  expect(isLowLimit(1_024, 15_000)).toBe(true)
  expect(isLowLimit(16_999, 15_000)).toBe(true)
  expect(isLowLimit(17_000, 15_000)).toBe(false)
  expect(isLowLimit(4_096, 1_000)).toBe(false)
})
