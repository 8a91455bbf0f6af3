// features/log: a transparency log for each poll, which anybody can check: RFC 6962 hashes, served as C2SP tlog-tiles.
// Stored votes are immutable and have positions without gaps, so they are the leaves: a job reads each once, and votes know nothing of it.

export const HASH_BYTES = 32
/** A tile holds the hashes of 2^8 trees. */
export const TILE_HEIGHT = 8
export const TILE_WIDTH = 2 ** TILE_HEIGHT

export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES)
  Bun.SHA256.hash(bytes, digest)
  return digest
}

const pair = Buffer.alloc(1 + 2 * HASH_BYTES)
pair[0] = 1

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 1)
  pair.set(right, 1 + HASH_BYTES)
  return sha256(pair)
}

const NO_LEAVES = sha256(new Uint8Array(0))

/** The peaks of a log are the roots of the largest perfect trees that it consists of, the largest first. */
export const rootOf = (peaks: readonly Uint8Array[]): Uint8Array =>
  peaks.length === 0 ? NO_LEAVES : peaks.reduceRight((right, left) => nodeHash(left, right))

/** The heights of the peaks of a log of this size, the largest first. */
export function heightsOf(size: number): number[] {
  const heights: number[] = []
  for (let height = 52; height >= 0; height--) if (hasBit(size, height)) heights.push(height)
  return heights
}

const hasBit = (size: number, bit: number): boolean => Math.floor(size / 2 ** bit) % 2 === 1

/** The hashes in `bytes`, each a view. */
export function hashesIn(bytes: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += HASH_BYTES) hashes.push(bytes.subarray(at, at + HASH_BYTES))
  return hashes
}

/** A log that grows leaf by leaf from its peaks. */
export class Growth {
  readonly #peaks: Uint8Array[]
  readonly #onTree: (level: number, hash: Uint8Array, number: number) => void
  size: number

  /** `onTree` gets the hash of each tree of 256^level leaves, for levels from 1 on, and its number from the left. */
  constructor(
    { size, peaks }: { readonly size: number; readonly peaks: Uint8Array },
    onTree: (level: number, hash: Uint8Array, number: number) => void,
  ) {
    this.size = size
    this.#peaks = hashesIn(peaks)
    this.#onTree = onTree
    if (this.#peaks.length !== heightsOf(size).length) throw new Error(`a log of ${size} votes has other peaks`)
  }

  get peaks(): readonly Uint8Array[] {
    return this.#peaks
  }

  add(leaf: Uint8Array): void {
    let hash = leaf
    let height = 0
    for (; hasBit(this.size, height); height++) {
      hash = nodeHash(this.#peaks.pop() as Uint8Array, hash)
      if ((height + 1) % TILE_HEIGHT === 0) {
        const level = (height + 1) / TILE_HEIGHT
        this.#onTree(level, hash, (this.size + 1) / TILE_WIDTH ** level - 1)
      }
    }
    this.#peaks.push(hash)
    this.size++
  }
}

/** The hash of a perfect tree over these hashes, whose number is a power of two. */
function treeHash(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, i) => nodeHash(at(row, 2 * i), at(row, 2 * i + 1)))
  return at(row, 0)
}

function at(hashes: readonly Uint8Array[], index: number): Uint8Array {
  const hash = hashes[index]
  if (!hash) throw new Error('a hash of a log is missing')
  return hash
}

/**
 * The proof of RFC 6962 that the leaf `index` is in the log with these peaks. `tiles` are those that contain the leaf, from level 0 on,
 * each with at least the hashes that the log of this size has.
 */
export function inclusionProof(
  { size, peaks }: { readonly size: number; readonly peaks: readonly Uint8Array[] },
  index: number,
  tiles: readonly (readonly Uint8Array[])[],
): Uint8Array[] {
  const heights = heightsOf(size)
  let begin = 0
  let place = 0
  for (; index >= begin + 2 ** heightAt(heights, place); place++) begin += 2 ** heightAt(heights, place)
  const proof: Uint8Array[] = []
  for (let height = 0; height < heightAt(heights, place); height++) {
    const inTile = height % TILE_HEIGHT
    const sibling = Math.floor(index / 2 ** height) ^ 1
    const from = (sibling * 2 ** inTile) % TILE_WIDTH
    proof.push(treeHash((tiles[(height - inTile) / TILE_HEIGHT] ?? []).slice(from, from + 2 ** inTile)))
  }
  if (place + 1 < peaks.length) proof.push(rootOf(peaks.slice(place + 1)))
  return [...proof, ...peaks.slice(0, place).reverse()]
}

function heightAt(heights: readonly number[], place: number): number {
  const height = heights[place]
  if (height === undefined) throw new Error('a leaf is beyond the end of its log')
  return height
}
