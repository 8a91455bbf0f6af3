import { expect, test } from 'bun:test'
import { type Target, targetTable } from './targets.ts'

const rowOf = (target: Target) =>
  targetTable([target])
    .split('\n')
    .at(-1)
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

test('a target is reached, missed by a percentage, or not measured', () => {
  const speed = { what: 'votes/s', asked: 0.4 }
  expect(rowOf({ ...speed, measured: 0.4 })).toEqual(['votes/s', 'at least 0.4', '0.40', 'reached'])
  expect(rowOf({ ...speed, measured: 0.3 })?.at(-1)).toBe('missed by 25 %')
  expect(rowOf({ ...speed, measured: 0.3999 })?.at(-1)).toBe('missed by 1 %')
  expect(rowOf({ ...speed, measured: null })?.at(-1)).toBe('not measured')
  expect(rowOf({ ...speed, measured: Number.NaN })?.at(-1)).toBe('not measured')
})

test('a ceiling is reached by a figure below it', () => {
  const memory = { what: 'memory', asked: 250, isCeiling: true, unit: ' MB' }
  expect(rowOf({ ...memory, measured: 249.9 })?.at(-1)).toBe('reached')
  expect(rowOf({ ...memory, measured: 300 })).toEqual(['memory', 'at most 250 MB', '300.0 MB', 'missed by 20 %'])
})
