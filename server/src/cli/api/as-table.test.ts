import { expect, test } from 'bun:test'
import { asTable } from './as-table.ts'

test('a list has a column for each plain field, as wide as its widest cell', () => {
  const items = [
    { slug: 'tea-or-coffee', votes: 5, optionA: { label: 'Tea' }, closesAt: null },
    { slug: '犬', votes: 12, optionA: { label: 'Dog' }, closesAt: '2026-01-01T00:00:00Z' },
  ]
  expect(asTable(items)).toBe(
    ['slug           votes  closesAt', 'tea-or-coffee  5', '犬             12     2026-01-01T00:00:00Z'].join('\n'),
  )
})

test('one thing has a line for each field', () => {
  expect(asTable({ slug: 'a', optionA: { label: 'Tea' } })).toBe('slug     a\noptionA  {"label":"Tea"}')
})

test('what others wrote cannot move the cursor, and long texts are cut', () => {
  expect(asTable([{ title: '\u001b[2J\u009b31mred\n' }])).toBe('title\n [2J 31mred')
  expect(asTable([{ title: 'x'.repeat(100) }])).toBe(`title\n${'x'.repeat(59)}…`)
})

test('a list without items is empty, and a text has no table', () => {
  expect(asTable([])).toBe('')
  expect(asTable('x')).toBeNull()
})
