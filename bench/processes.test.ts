import { expect, test } from 'bun:test'
import { cpuMicroseconds, cpuOfStat, readCpuList, residentBytes } from './processes.ts'

test('the processor time of a process whose name holds spaces and brackets is read', () => {
  const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 9000 0 10 0 120 30 40 2 20 0 12 0 500 0 0'
  expect(cpuOfStat(stat)).toBe(1_500_000)
})

test('lists of processors are parsed', () => {
  expect(readCpuList('0-2,5\n')).toEqual([0, 1, 2, 5])
  expect(readCpuList('7')).toEqual([7])
  expect(readCpuList('')).toEqual([])
})

test.skipIf(process.platform !== 'linux')('a busy process is measured with processor time and memory', () => {
  const before = cpuMicroseconds(process.pid) ?? Number.NaN
  const startedAt = performance.now()
  while (cpuMicroseconds(process.pid) === before) expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(before)
  expect(residentBytes(process.pid)).toBeGreaterThan(1e6)
})

test('a missing process has no figures', () => {
  expect(cpuMicroseconds(2 ** 30)).toBeNull()
  expect(residentBytes(2 ** 30)).toBeNull()
})
