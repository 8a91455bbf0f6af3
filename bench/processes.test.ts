import { expect, test } from 'bun:test'
import {
  coreTime,
  coreTimeOfSchedstat,
  cpuMicroseconds,
  cpuOfEndedChildren,
  cpuOfStat,
  readCpuList,
  residentBytes,
  shareOfCore,
  treeMicroseconds,
} from './processes.ts'

test('the processor time of a process whose name holds spaces and brackets is read', () => {
  const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 9000 0 10 0 120 30 40 2 20 0 12 0 500 0 0'
  expect(cpuOfStat(stat)).toBe(1_500_000)
  expect(cpuOfEndedChildren(stat)).toBe(420_000)
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

test.skipIf(process.platform !== 'linux')(
  'what the children of a process use is counted, also when they have ended',
  async () => {
    const script = '(i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done); echo ended; read line'
    const parent = Bun.spawn(['sh', '-c', script], { stdin: 'pipe', stdout: 'pipe' })
    const startedAt = performance.now()
    while (treeMicroseconds([parent.pid]) === 0) expect(performance.now() - startedAt).toBeLessThan(20_000)
    await parent.stdout.getReader().read()
    expect(cpuMicroseconds(parent.pid) ?? 0).toBeLessThan(50_000)
    expect(treeMicroseconds([parent.pid])).toBeGreaterThan(50_000)
    parent.kill()
    await parent.exited
  },
  30_000,
)

test('the share of a core is the time on it against the time that was wanted', () => {
  const before = coreTimeOfSchedstat('1000 200 7\n')
  expect(before).toEqual({ running: 1_000, waiting: 200 })
  expect(shareOfCore(before, { running: 1_300, waiting: 300 })).toBe(0.75)
  expect(shareOfCore(before, before)).toBe(1)
  expect(shareOfCore(null, before)).toBe(1)
})

test.skipIf(process.platform !== 'linux')('a busy process wants a core and gets a part of one', () => {
  const before = coreTime(process.pid)
  const startedAt = performance.now()
  while (performance.now() - startedAt < 50);
  const share = shareOfCore(before, coreTime(process.pid))
  expect(share).toBeGreaterThan(0)
  expect(share).toBeLessThanOrEqual(1)
})

test('a missing process has no figures', () => {
  expect(coreTime(2 ** 30)).toBeNull()
  expect(cpuMicroseconds(2 ** 30)).toBeNull()
  expect(residentBytes(2 ** 30)).toBeNull()
})
