import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Random numbers that are stored nowhere: a hash made with them tells nothing about its text. */
interface Salt {
  readonly low: number
  readonly high: number
}

export function newSalt(): Salt {
  const bytes = randomBytes(8)
  return { low: bytes.readInt32LE(0), high: bytes.readInt32LE(4) }
}

/**
 * A hash of 53 evenly distributed bits of a short text, such as an address. For memory alone: `Bun.hash` makes a
 * BigInt, which costs more than this loop. Not for texts that a client can choose freely.
 */
export function saltedHash(text: string, { low, high }: Salt): number {
  let a = low ^ text.length
  let b = high
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x9e37_79b1)
    a ^= a >>> 15
    b = Math.imul(b ^ unit, 0x85eb_ca6b)
    b ^= b >>> 13
  }
  // Until here, each half depends on its own salt alone.
  a = mixed(a ^ (b >>> 16))
  b = mixed(b ^ a)
  return (b & 0x1f_ffff) * 2 ** 32 + (a >>> 0)
}

function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0xc2b2_ae35)
  const twice = Math.imul(once ^ (once >>> 15), 0x27d4_eb2f)
  return twice ^ (twice >>> 16)
}

const TAG_BYTES = 16
const NONCE_BYTES = 12

export type Bytes = Uint8Array

export const randomKey = (): Bytes => randomBytes(32)

const BLOCK_BYTES = 64
const HASH_BYTES = 32
/** Longer texts are hashed by a hasher, whose own cost matters less then. */
const MOST_SHORT_BYTES = 384
const MOST_BYTES_PER_UNIT = 3

/** HMAC with one key: two plain hashes over prepared blocks cost half as much as a hasher for each text. */
class Hmac {
  readonly #key: Bytes
  readonly #inner = Buffer.alloc(BLOCK_BYTES + MOST_SHORT_BYTES)
  readonly #outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES)
  readonly #innerHash = this.#outer.subarray(BLOCK_BYTES)
  /** The beginnings of `#inner`, by the length of the text. */
  readonly #beginnings: Buffer[] = []

  constructor(key: Bytes) {
    this.#key = key
    const block = key.length > BLOCK_BYTES ? new Bun.CryptoHasher('sha256').update(key).digest() : key
    for (let i = 0; i < BLOCK_BYTES; i++) {
      this.#inner[i] = (block[i] ?? 0) ^ 0x36
      this.#outer[i] = (block[i] ?? 0) ^ 0x5c
    }
  }

  hashInto(hash: Uint8Array, text: string | Bytes): void {
    if (text.length * (typeof text === 'string' ? MOST_BYTES_PER_UNIT : 1) > MOST_SHORT_BYTES) {
      hash.set(new Bun.CryptoHasher('sha256', this.#key).update(text).digest())
      return
    }
    const bytes = this.#write(text)
    this.#beginnings[bytes] ??= this.#inner.subarray(0, BLOCK_BYTES + bytes)
    Bun.SHA256.hash(this.#beginnings[bytes] as Buffer, this.#innerHash)
    Bun.SHA256.hash(this.#outer, hash)
  }

  /** Returns how many bytes the text has. */
  #write(text: string | Bytes): number {
    if (typeof text === 'string') return this.#inner.write(text, BLOCK_BYTES)
    this.#inner.set(text, BLOCK_BYTES)
    return text.length
  }
}

const prepared = new WeakMap<Bytes, Hmac>()

function prepare(key: Bytes): Hmac {
  const hmac = new Hmac(key)
  prepared.set(key, hmac)
  return hmac
}

/** HMAC-SHA-256. */
export function keyedHash(key: Bytes, text: string | Bytes): Buffer {
  const hash = Buffer.allocUnsafeSlow(HASH_BYTES)
  ;(prepared.get(key) ?? prepare(key)).hashInto(hash, text)
  return hash
}

const scratch = new Uint8Array(HASH_BYTES)

/** The first bytes of the HMAC-SHA-256, in memory of their own: a view would keep the whole hash. */
export function shortKeyedHash(key: Bytes, text: string, bytes: number): Bytes {
  ;(prepared.get(key) ?? prepare(key)).hashInto(scratch, text)
  return scratch.slice(0, bytes)
}

export const isSameSecret = (left: Bytes, right: Bytes): boolean =>
  left.length === right.length && timingSafeEqual(left, right)

/** A key for one purpose, derived from a secret of any length. The secret must already be hard to guess. */
export const derivedKey = (secret: string | Bytes, purpose: string): Bytes =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))

/** The nonce is random: sealing the same text twice gives two different results. */
export function seal(key: Bytes, plain: string | Bytes): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

/** Null if the key is wrong or a byte was changed. */
export function unseal(key: Bytes, sealed: Bytes): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  const head = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES))
  try {
    return Buffer.concat([head, decipher.final()])
  } catch {
    return null
  }
}

export interface DeterministicBox {
  seal(plain: string): Buffer
  unseal(sealed: Bytes): string | null
}

/** Uses a synthetic IV: equal texts give equal bytes, and two texts never share an IV. */
export function deterministicBox(key: Bytes): DeterministicBox {
  const macKey = derivedKey(key, 'siv mac')
  const cipherKey = derivedKey(key, 'siv encryption')
  const syntheticIv = (plain: string | Bytes) => keyedHash(macKey, plain).subarray(0, 16)
  return {
    seal(plain) {
      const iv = syntheticIv(plain)
      const cipher = createCipheriv('aes-256-ctr', cipherKey, iv)
      return Buffer.concat([iv, cipher.update(plain), cipher.final()])
    },
    unseal(sealed) {
      if (sealed.length < 16) return null
      const iv = sealed.subarray(0, 16)
      const decipher = createDecipheriv('aes-256-ctr', cipherKey, iv)
      const plain = Buffer.concat([decipher.update(sealed.subarray(16)), decipher.final()])
      return isSameSecret(iv, syntheticIv(plain)) ? plain.toString('utf8') : null
    },
  }
}
