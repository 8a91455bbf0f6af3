import { expect, test } from 'bun:test'
import { assertMetricsPorts, metricsPortOf } from './serve-with-workers.ts'

test('each worker has its own port for metrics, unless they are off', () => {
  expect([0, 1, 2].map((slot) => metricsPortOf({ metricsPort: 9_464 }, slot))).toEqual([9_464, 9_465, 9_466])
  expect(metricsPortOf({ metricsPort: null }, 1)).toBeNull()
})

test('ports for metrics that reach PORT, or do not exist, are refused', () => {
  const check = (metricsPort: number | null, workers: number) => () =>
    assertMetricsPorts({ port: 3_000, metricsPort }, workers)
  expect(check(2_998, 2)).not.toThrow()
  expect(check(2_998, 3)).toThrow('METRICS_PORT is too near to PORT 3000')
  expect(check(3_000, 1)).toThrow('METRICS_PORT is too near to PORT 3000')
  expect(check(3_001, 200)).not.toThrow()
  expect(check(65_535, 1)).not.toThrow()
  expect(check(65_535, 2)).toThrow('METRICS_PORT is too high')
  expect(check(null, 200)).not.toThrow()
})
