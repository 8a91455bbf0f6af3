import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import {
  derivedKey,
  deterministicBox,
  isSameSecret,
  keyedHash,
  newSalt,
  randomKey,
  saltedHash,
  seal,
  shortKeyedHash,
  unseal,
} from './secrets.ts'

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

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const text = fc.string({ unit: 'grapheme', maxLength: 200 })

/** The bytes with one bit flipped. */
function spoiled(bytes: Uint8Array, at: number): Uint8Array {
  const copy = new Uint8Array(bytes)
  const place = at % (copy.length * 8)
  copy[place >> 3] = (copy[place >> 3] ?? 0) ^ (1 << (place & 7))
  return copy
}

describe('seal', () => {
  test('is opened by its key', () => {
    fc.assert(fc.property(key, text, (k, plain) => expect(unseal(k, seal(k, plain))?.toString('utf8')).toBe(plain)))
    fc.assert(
      fc.property(key, fc.uint8Array(), (k, plain) =>
        expect(new Uint8Array(unseal(k, seal(k, plain)) ?? [0])).toEqual(new Uint8Array(plain)),
      ),
    )
  })

  test('is not opened after a change of any bit, or with a byte missing or added', () => {
    fc.assert(
      fc.property(key, text, fc.nat(), (k, plain, at) => {
        const sealed = seal(k, plain)
        expect(unseal(k, spoiled(sealed, at))).toBeNull()
        expect(unseal(k, sealed.subarray(0, at % sealed.length))).toBeNull()
        expect(unseal(k, Buffer.concat([sealed, Buffer.from([at & 255])]))).toBeNull()
      }),
    )
  })

  test('is not opened by another key', () => {
    fc.assert(
      fc.property(key, text, fc.nat(255), (k, plain, at) => expect(unseal(spoiled(k, at), seal(k, plain))).toBeNull()),
    )
  })

  test('never gives the same bytes twice', () => {
    const k = randomKey()
    expect(new Set(Array.from({ length: 1_000 }, () => seal(k, 'x').toString('hex'))).size).toBe(1_000)
  })
})

describe('the deterministic box', () => {
  test('is opened by its key, and seals equal texts alike', () => {
    fc.assert(
      fc.property(key, text, (k, plain) => {
        const sealed = deterministicBox(k).seal(plain)
        expect(deterministicBox(k).unseal(sealed)).toBe(plain)
        expect(deterministicBox(k).seal(plain).equals(sealed)).toBe(true)
      }),
    )
  })

  test('never uses one IV for two texts', () => {
    const box = deterministicBox(randomKey())
    const ivs = new Set(Array.from({ length: 5_000 }, (_, i) => box.seal(`text ${i}`).subarray(0, 16).toString('hex')))
    expect(ivs.size).toBe(5_000)
  })

  test('is not opened after a change of any bit, with a byte missing or added, or by another key', () => {
    fc.assert(
      fc.property(key, text, fc.nat(), (k, plain, at) => {
        const box = deterministicBox(k)
        const sealed = box.seal(plain)
        expect(box.unseal(spoiled(sealed, at))).toBeNull()
        expect(box.unseal(sealed.subarray(0, at % sealed.length))).toBeNull()
        expect(box.unseal(Buffer.concat([sealed, Buffer.from([at & 255])]))).toBeNull()
        expect(deterministicBox(spoiled(k, at)).unseal(sealed)).toBeNull()
      }),
    )
  })

  test('shows nothing of the text but its length', () => {
    const sealed = deterministicBox(randomKey()).seal('a'.repeat(64)).subarray(16)
    expect(sealed.length).toBe(64)
    expect(new Set(sealed).size).toBeGreaterThan(20)
  })
})

test('a hash depends on every bit of the key and of the text', () => {
  fc.assert(
    fc.property(key, fc.uint8Array({ minLength: 1 }), fc.nat(), (k, bytes, at) => {
      const hash = keyedHash(k, bytes)
      expect(hash).toHaveLength(32)
      expect(hash.equals(keyedHash(k, spoiled(bytes, at)))).toBe(false)
      expect(hash.equals(keyedHash(spoiled(k, at), bytes))).toBe(false)
    }),
  )
})

// spec: 2.6-3
test('a hash is HMAC-SHA-256', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (k, text) => {
      const theirs = createHmac('sha256', k).update(text).digest()
      expect(keyedHash(k, text).equals(theirs)).toBe(true)
      expect(keyedHash(k, text).equals(theirs)).toBe(true)
    }),
  )
})

test('a hash of a text of any length is HMAC-SHA-256, and its first bytes have memory of their own', () => {
  const k = randomKey()
  for (const character of ['a', 'é', '語', '😀']) {
    for (let length = 0; length < 500; length++) {
      const text = character.repeat(length)
      const theirs = createHmac('sha256', k).update(text).digest()
      expect(keyedHash(k, text).equals(theirs)).toBe(true)
      expect(keyedHash(k, Buffer.from(text)).equals(theirs)).toBe(true)
      const short = shortKeyedHash(k, text, 16)
      expect([short.buffer.byteLength, theirs.subarray(0, 16).equals(short)]).toEqual([16, true])
    }
  }
})

test('derived keys differ by secret and by purpose', () => {
  const keys = ['a', 'b'].flatMap((secret) => ['one', 'two'].map((purpose) => derivedKey(secret, purpose)))
  expect(new Set(keys.map((each) => Buffer.from(each).toString('hex'))).size).toBe(4)
  expect(derivedKey('a', 'one')).toEqual(derivedKey('a', 'one'))
})

test('secrets of different lengths are unequal, and comparing them does not throw', () => {
  expect(isSameSecret(Buffer.from('ab'), Buffer.from('abc'))).toBe(false)
  expect(isSameSecret(Buffer.from('abc'), Buffer.from('abd'))).toBe(false)
  expect(isSameSecret(Buffer.from('abc'), Buffer.from('abc'))).toBe(true)
})
