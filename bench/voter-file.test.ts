import { expect, test } from 'bun:test'
import { VoterLines } from './voter-file.ts'

const HEAD = 'respondentId,option,votedAt,position\r\n'
const row = (option: string, position: number) => `id,${option},2026-01-01T00:00:00.000Z,${position}\r\n`

function read(text: string, size = 7) {
  const lines = new VoterLines()
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) lines.take(bytes.subarray(at, at + size))
  return lines.end()
}

test('counts the rows of a file, however its bytes are split', () => {
  const text = HEAD + row('A', 3) + row('B', 2) + row('A', 1)
  for (const size of [1, 7, 1_000]) {
    expect(read(text, size)).toEqual({ rows: 3, bytes: text.length, optionA: 2, optionB: 1 })
  }
  expect(read(HEAD)).toMatchObject({ rows: 0, optionA: 0, optionB: 0 })
})

test.each([
  ['a gap', HEAD + row('A', 3) + row('A', 1)],
  ['a repeat', HEAD + row('A', 2) + row('A', 2) + row('A', 1)],
  ['an end too early', HEAD + row('A', 3) + row('A', 2)],
  ['half a line', `${HEAD}${row('A', 2)}id,A`],
  ['no option', HEAD + row('C', 1)],
])('%s is found', (_, text) => {
  expect(() => read(text)).toThrow()
})
