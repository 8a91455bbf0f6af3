import { expect, test } from 'bun:test'
import { readBenchArguments, readTortureArguments, UsageError } from './arguments.ts'

test('a run without arguments has the defaults', () => {
  expect(readBenchArguments([])).toEqual({
    mode: 'workloads',
    isQuick: false,
    only: null,
    engine: null,
    rounds: 5,
    seconds: 4,
    most: 1_000_000,
    roundTrip: 20,
  })
  expect(readTortureArguments([])).toEqual({
    mode: 'votes',
    rounds: 100,
    votes: 1_000,
    events: 20_000,
    engine: null,
  })
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
  expect(readBenchArguments(['--responses', '--most', '5000'])).toMatchObject({ mode: 'responses', most: 5_000 })
  expect(readBenchArguments(['--listeners'])).toMatchObject({ mode: 'listeners', most: 10_000 })
  expect(readBenchArguments(['--export', '--most', '5000'])).toMatchObject({ mode: 'export', most: 5_000 })
  expect(readBenchArguments(['--uploads', '--seconds', '20'])).toMatchObject({ mode: 'uploads', seconds: 20 })
  expect(readBenchArguments(['--stuffing', '--seconds', '9'])).toMatchObject({ mode: 'stuffing', seconds: 9 })
  expect(readBenchArguments(['--webhooks', '--seconds', '9'])).toMatchObject({ mode: 'webhooks', seconds: 9 })
  expect(readBenchArguments(['--scale', '--rounds', '3'])).toMatchObject({ mode: 'scale', rounds: 3 })
  expect(readBenchArguments(['--citus', '--rounds', '3'])).toMatchObject({ mode: 'citus', rounds: 3 })
  expect(readBenchArguments(['--day', '--seconds', '3'])).toMatchObject({ mode: 'day', rounds: 5, seconds: 3 })
  expect(readBenchArguments(['--servers', '--round-trip', '50'])).toMatchObject({ mode: 'servers', roundTrip: 50 })
  expect(readTortureArguments(['--rounds', '7', '--engine', 'postgres'])).toMatchObject({
    rounds: 7,
    engine: 'postgres',
  })
})

test('every argument of the webhook torture is read', () => {
  expect(readTortureArguments(['--webhooks', '--events', '500'])).toMatchObject({ mode: 'webhooks', events: 500 })
  expect(() => readTortureArguments(['--events', '0'])).toThrow(UsageError)
})

test.each([
  [['--rounds', '0']],
  [['--rounds', 'many']],
  [['--engine', 'mysql']],
  [['--growth', '--memory']],
  [['--memory', '--responses']],
  [['--memory', '--listeners']],
  [['--export', '--growth']],
  [['--memory', '--uploads']],
  [['--webhooks', '--listeners']],
  [['--day', '--scale']],
  [['--day', '--seconds', '0']],
  [['--fast']],
  [['more']],
])('%j is refused', (words) => {
  expect(() => readBenchArguments(words)).toThrow(UsageError)
})

test('every argument of the torture by faults is read', () => {
  expect(readTortureArguments(['--faults'])).toMatchObject({ mode: 'faults', rounds: 50, votes: 1_000 })
  expect(() => readTortureArguments(['--faults', '--webhooks'])).toThrow(UsageError)
})
