const ROUNDS = 64
const BLOCK_BYTES = 64

const primes: number[] = []
for (let n = 2; primes.length < ROUNDS; n++) if (primes.every((prime) => n % prime)) primes.push(n)

/** The first 32 bits of the fractional part. */
const fraction = (root: number): number => (root % 1) * 2 ** 32
const BEGINNING = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const CONSTANTS = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const words = new Int32Array(ROUNDS)

const wordAt = (i: number): number => words[i] as number
const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

type Eight = [number, number, number, number, number, number, number, number]

/** One block. Reads and writes by index: iterating over a typed array would take most of the time. */
function compress(at: number): void {
  let { 0: a, 1: b, 2: c, 3: d, 4: e, 5: f, 6: g, 7: h } = state as unknown as Eight
  for (let i = 0; i < ROUNDS; i++) {
    if (i < 16) words[i] = view.getInt32(at + 4 * i)
    else {
      const early = wordAt(i - 15)
      const late = wordAt(i - 2)
      words[i] =
        wordAt(i - 16) +
        wordAt(i - 7) +
        (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) +
        (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10))
    }
    const next =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (CONSTANTS[i] as number) + wordAt(i)
    h = g
    g = f
    f = e
    e = (d + next) | 0
    d = c
    c = b
    b = a
    a = (next + (turned(b, 2) ^ turned(b, 13) ^ turned(b, 22)) + ((b & c) ^ (b & d) ^ (c & d))) | 0
  }
  const after: Eight = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (after[i] as number)
}

/** The longest input, with what follows it, in whole blocks: a salt of the service and a number have 65 characters, two hashes 65 bytes. */
const bytes = new Uint8Array(4 * BLOCK_BYTES)
const view = new DataView(bytes.buffer)
const encoder = new TextEncoder()
const state = new Int32Array(8)

/** The hash of the first bytes, behind which are zeros. */
function hashOf(length: number): Int32Array {
  bytes[length] = 0x80
  // A byte and the length in bits follow the input.
  const end = (length + 8 + BLOCK_BYTES) & -BLOCK_BYTES
  view.setInt32(end - 4, length * 8)
  state.set(BEGINNING)
  for (let at = 0; at < end; at += BLOCK_BYTES) compress(at)
  return state
}

/**
 * Hashes a short ASCII text; overwritten by the next. WebCrypto would take longer for each, and pages without https have none.
 */
export function sha256(text: string): Int32Array {
  encoder.encodeInto(text, bytes.fill(0))
  return hashOf(text.length)
}

const hash = new Uint8Array(32)
const out = new DataView(hash.buffer)

/** Hashes short parts together, into bytes of its own. */
export function sha256Of(...parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  let length = 0
  bytes.fill(0)
  for (const part of parts) {
    if (typeof part === 'string') length += encoder.encodeInto(part, bytes.subarray(length)).written
    else {
      bytes.set(part, length)
      length += part.length
    }
  }
  const words = hashOf(length)
  for (let i = 0; i < 8; i++) out.setInt32(4 * i, words[i] as number)
  return hash.slice()
}
