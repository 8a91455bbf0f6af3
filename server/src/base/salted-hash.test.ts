import { expect, test } from 'bun:test'
import { newSalt, saltedHash } from './salted-hash.ts'

const salt = newSalt()
const addresses = (count: number) =>
  Array.from({ length: count }, (_, i) => `198.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`)

test('gives every address a number of its own, which fits into 53 bits', () => {
  const numbers = new Set(addresses(200_000).map((text) => saltedHash(text, salt)))
  expect(numbers.size).toBe(200_000)
  for (const number of numbers) expect(Number.isSafeInteger(number) && number >= 0).toBe(true)
})

test('gives the same text the same number, and with another salt another one', () => {
  expect(saltedHash('192.0.2.1', salt)).toBe(saltedHash(['192', '0', '2', '1'].join('.'), salt))
  expect(saltedHash('192.0.2.1', newSalt())).not.toBe(saltedHash('192.0.2.1', salt))
})

test('distinguishes the tiers of a network and the order of characters', () => {
  const texts = ['1:2:3:4', '1:2:3:0/56', '1:2:3/48', '1:2:43:', '4:3:2:1', '192.0.2.1', '192.0.2.0/24', '']
  expect(new Set(texts.map((text) => saltedHash(text, salt))).size).toBe(texts.length)
})

test('distributes neighbours evenly, in every bit', () => {
  const count = 50_000
  const ones = new Array<number>(53).fill(0)
  for (const text of addresses(count)) {
    const number = saltedHash(text, salt)
    for (const bit of ones.keys()) ones[bit] = (ones[bit] ?? 0) + (Math.floor(number / 2 ** bit) % 2)
  }
  // Nine standard deviations.
  for (const times of ones) expect(Math.abs(times - count / 2)).toBeLessThan(9 * Math.sqrt(count / 4))
})
