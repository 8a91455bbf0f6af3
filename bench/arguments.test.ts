import { expect, test } from 'bun:test'
import { readBenchArguments, readTortureArguments, UsageError } from './arguments.ts'

test('a run without arguments has the defaults', () => {
  expect(readBenchArguments([])).toEqual({
    mode: 'workloads',
    against: '',
    isQuick: false,
    only: null,
    engine: null,
    rounds: 5,
    seconds: 4,
    most: 1_000_000,
  })
  expect(readTortureArguments([])).toEqual({ mode: 'kills', rounds: 100, votes: 1_000, engine: null })
})

test('every argument is read', () => {
  expect(readBenchArguments(['--quick', '--only', 'hot', '--engine', 'sqlite'])).toMatchObject({
    isQuick: true,
    only: 'hot',
    engine: 'sqlite',
    rounds: 1,
    seconds: 1,
  })
  expect(readBenchArguments(['--growth', '--most', '10_000_000'])).toMatchObject({ mode: 'growth', most: 10_000_000 })
  expect(readBenchArguments(['--memory', '--rounds', '2'])).toMatchObject({ mode: 'memory', rounds: 2 })
  expect(readBenchArguments(['--listeners'])).toMatchObject({ mode: 'listeners', most: 10_000 })
  expect(readBenchArguments(['--against', 'main'])).toMatchObject({ mode: 'against', against: 'main', most: 10_000 })
  expect(readBenchArguments(['--worst', '--seconds', '9'])).toMatchObject({ mode: 'worst', seconds: 9 })
  expect(readBenchArguments(['--pages'])).toMatchObject({ mode: 'pages' })
  expect(readTortureArguments(['--rounds', '7', '--engine', 'postgres'])).toMatchObject({
    rounds: 7,
    engine: 'postgres',
  })
  expect(readTortureArguments(['--faults'])).toMatchObject({ mode: 'faults', rounds: 50, votes: 1_000 })
})

test.each([
  [['--rounds', '0']],
  [['--rounds', 'many']],
  [['--engine', 'mysql']],
  [['--growth', '--memory']],
  [['--memory', '--listeners']],
  [['--against', 'main', '--growth']],
  [['--against']],
  [['--most', '999']],
  [['--fast']],
  [['more']],
])('%j is refused', (words) => {
  expect(() => readBenchArguments(words)).toThrow(UsageError)
})

test('a torture without rounds or votes is refused', () => {
  expect(() => readTortureArguments(['--rounds', '0'])).toThrow(UsageError)
  expect(() => readTortureArguments(['--votes', '0'])).toThrow(UsageError)
})
