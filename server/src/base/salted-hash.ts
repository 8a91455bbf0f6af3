import { randomBytes } from 'node:crypto'

/** Random numbers that are stored nowhere: a hash made with them tells nothing about its text. */
export interface Salt {
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
