import { expect, test } from 'bun:test'
import { targetRow, verdict } from './targets.ts'

test('a target is reached, missed by a percentage, or not measured', () => {
  const speed = { what: 'votes/s', least: 0.4, aim: 0.55 }
  expect(verdict({ ...speed, measured: 0.4 })).toBe('reached')
  expect(verdict({ ...speed, measured: 0.55 })).toBe('reached, and the aim')
  expect(verdict({ ...speed, measured: 0.3 })).toBe('missed by 25 %')
  expect(verdict({ ...speed, measured: 0.3999 })).toBe('missed by 1 %')
  expect(verdict({ ...speed, measured: null })).toBe('not measured')
  expect(verdict({ ...speed, measured: Number.NaN })).toBe('not measured')
})

test('a ceiling is reached by a figure below it', () => {
  const memory = { what: 'memory', least: 250, isCeiling: true, unit: ' MB' }
  expect(verdict({ ...memory, measured: 249.9 })).toBe('reached')
  expect(verdict({ ...memory, measured: 300 })).toBe('missed by 20 %')
  expect(verdict({ ...memory, aim: 180, measured: 200 })).toBe('reached')
  expect(verdict({ ...memory, aim: 180, measured: 180 })).toBe('reached, and the aim')
  expect(targetRow({ ...memory, measured: 300 })).toEqual(['memory', 'at most 250 MB', '300.0 MB', 'missed by 20 %'])
})
