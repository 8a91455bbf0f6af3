import { expect, test } from 'bun:test'
import { readBenchArguments, readTortureArguments, UsageError } from './arguments.ts'

test('what a run does by default', () => {
  expect(readBenchArguments([])).toEqual({
    mode: 'workloads',
    isQuick: false,
    only: null,
    engine: null,
    rounds: 5,
    seconds: 4,
    most: 1_000_000,
  })
  expect(readTortureArguments([])).toEqual({ rounds: 100, votes: 1_000, engine: null })
})

test('what can be asked', () => {
  expect(readBenchArguments(['--quick', '--only', 'hot', '--engine', 'sqlite'])).toMatchObject({
    isQuick: true,
    only: 'hot',
    engine: 'sqlite',
    rounds: 1,
    seconds: 1,
  })
  expect(readBenchArguments(['--growth', '--most', '10_000_000'])).toMatchObject({ mode: 'growth', most: 10_000_000 })
  expect(readBenchArguments(['--memory', '--rounds', '2'])).toMatchObject({ mode: 'memory', rounds: 2 })
  expect(readTortureArguments(['--rounds', '7', '--engine', 'postgres'])).toMatchObject({
    rounds: 7,
    engine: 'postgres',
  })
})

test.each([
  [['--rounds', '0']],
  [['--rounds', 'many']],
  [['--engine', 'mysql']],
  [['--growth', '--memory']],
  [['--fast']],
  [['more']],
])('%j is refused', (words) => {
  expect(() => readBenchArguments(words)).toThrow(UsageError)
})
