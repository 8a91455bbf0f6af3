import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { sha256 } from '../src/challenge/sha256.ts'

const hex = (words: Int32Array): string => Buffer.from(Uint8Array.from([...words].flatMap(bytesOf))).toString('hex')
const bytesOf = (word: number): number[] => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]

test('hashes like SHA-256 at every length', () => {
  const text = 'abcdefghijklmnopqrstuvwxyz0123456789?=&_-'.repeat(5)
  const lengths = Array.from({ length: 201 }, (_, length) => length)
  for (const length of [...lengths, ...lengths.toReversed()]) {
    const part = text.slice(0, length)
    expect(hex(sha256(part))).toBe(createHash('sha256').update(part).digest('hex'))
  }
})
