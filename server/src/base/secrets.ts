import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** A random number that is stored nowhere: a hash made with it tells nothing about its text. */
type Salt = bigint

export const newSalt = (): Salt => randomBytes(8).readBigUInt64LE()

/** A hash of 53 evenly distributed bits, for memory alone. Not for texts that a client can choose freely. */
export const saltedHash = (text: string, salt: Salt): number => Number(Bun.hash.wyhash(text, salt) >> 11n)

const TAG_BYTES = 16
const NONCE_BYTES = 12

export type Bytes = Uint8Array

export const randomKey = (): Bytes => randomBytes(32)

const hashers = new WeakMap<Bytes, Bun.CryptoHasher>()

/** To begin with a key takes as long as to hash a short text: a copy has begun. */
const hasherOf = (key: Bytes): Bun.CryptoHasher => (hashers.get(key) ?? begin(key)).copy()

function begin(key: Bytes): Bun.CryptoHasher {
  const hasher = new Bun.CryptoHasher('sha256', key)
  hashers.set(key, hasher)
  return hasher
}

/** HMAC-SHA-256. */
export const keyedHash = (key: Bytes, text: string | Bytes): Buffer => hasherOf(key).update(text).digest()

/** The hasher asks for the room of its longest digest. */
const scratch = new Uint8Array(64)

/** The first bytes of the HMAC-SHA-256, in memory of their own: a view would keep the whole hash. */
export function shortKeyedHash(key: Bytes, text: string | Bytes, bytes: number): Bytes {
  hasherOf(key).update(text).digest(scratch)
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
