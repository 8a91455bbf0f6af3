import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { counted, nearest, textOfChunks } from './text.ts'

async function* endless() {
  for (;;) yield new Uint8Array(1_000)
}

async function* halves() {
  yield* [new Uint8Array([0xc3]), new Uint8Array([0xa4])]
}

test('joins chunks before it reads characters', async () => {
  expect(await textOfChunks(halves())).toBe('ä')
})

test('gives up at the limit', async () => {
  await expect(textOfChunks(endless(), 10_000)).rejects.toThrow('longer than 10000 bytes')
})

const NAMES = ['status', 'order', 'limit', 'cursor', 'tag', 'q', 'isDraft']

test.each([
  ['staus', 'status'],
  ['stauts', 'status'],
  ['stat', 'status'],
  ['Status', 'status'],
  ['statuses', 'status'],
  ['oder', 'order'],
  ['limt', 'limit'],
  ['tags', 'tag'],
  ['isdraft', 'isDraft'],
  ['is_draft', 'isDraft'],
  ['Q', 'q'],
])('%s is a typo of %s', (given, name) => {
  expect(nearest(given, NAMES)).toBe(name)
})

test.each(['page', 'utm_source', 'sort', 'x', '', '__proto__'])('%s is a typo of none', (given) => {
  expect(nearest(given, NAMES)).toBeNull()
})

test('a long text costs no more than a short one', () => {
  // Processor time, because on a busy machine a search also waits for other programs.
  const before = process.threadCpuUsage()
  for (let i = 0; i < 100; i++) expect(nearest('s'.repeat(10_000_000), NAMES)).toBeNull()
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(5_000)
})

test('a name is nearest to itself, and a long name with one edit is found', () => {
  fc.assert(
    fc.property(fc.constantFrom('status', 'order', 'cursor'), fc.nat(5), fc.constantFrom('', 'z'), (name, at, put) => {
      expect(nearest(name, NAMES)).toBe(name)
      const place = at % name.length
      expect(nearest(name.slice(0, place) + put + name.slice(place + 1), NAMES)).toBe(name)
    }),
  )
})

test.each([
  [0, '0 votes'],
  [1, '1 vote'],
  [2, '2 votes'],
  [1_000, '1000 votes'],
])('%d', (count, text) => {
  expect(counted(count, 'vote')).toBe(text)
})

test('an irregular plural', () => {
  expect([counted(1, 'entry', 'entries'), counted(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries'])
})
