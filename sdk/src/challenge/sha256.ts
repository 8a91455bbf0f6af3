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

/** The longest text that can be hashed, with what follows it, in whole blocks: a salt of the service and a number have 65 characters. */
const bytes = new Uint8Array(4 * BLOCK_BYTES)
const view = new DataView(bytes.buffer)
const encoder = new TextEncoder()
const state = new Int32Array(8)

/**
 * Of a short ASCII text; overwritten by the next. WebCrypto would take longer for each, and pages without https have none.
 */
export function sha256(text: string): Int32Array {
  encoder.encodeInto(text, bytes.fill(0))
  const { length } = text
  bytes[length] = 0x80
  // A byte and the length in bits follow the text.
  const end = (length + 8 + BLOCK_BYTES) & -BLOCK_BYTES
  view.setInt32(end - 4, length * 8)
  state.set(BEGINNING)
  for (let at = 0; at < end; at += BLOCK_BYTES) compress(at)
  return state
}
