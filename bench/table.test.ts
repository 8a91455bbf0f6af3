import { expect, test } from 'bun:test'
import { count, formatTable, megabytes, milliseconds, ratio } from './table.ts'

test('columns are aligned, the first to the left and the others to the right', () => {
  const table = formatTable(
    ['', 'votes/s', 'µs'],
    [
      ['one poll', '1,000', '9.5'],
      ['hundred polls', '12', ''],
    ],
  )
  expect(table).toBe(
    [
      '|               | votes/s |  µs |',
      '| ------------- | ------: | --: |',
      '| one poll      |   1,000 | 9.5 |',
      '| hundred polls |      12 |     |',
    ].join('\n'),
  )
})

test('figures have as many digits as are significant', () => {
  expect([count(1234.5), ratio(0.456), ratio(12.34), milliseconds(1.234), milliseconds(56.7)]).toEqual([
    '1,235',
    '0.46',
    '12.3',
    '1.23',
    '57',
  ])
  expect(megabytes(249_600_000)).toBe('250 MB')
})
