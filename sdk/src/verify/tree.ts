import { sha256Of } from '../challenge/sha256.ts'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)
const TILE_LEVELS = 8

export type Hash = Uint8Array<ArrayBuffer>

export const leafHash = (entry: string): Hash => sha256Of(LEAF, entry)
const nodeHash = (left: Hash, right: Hash): Hash => sha256Of(NODE, left, right)

export const isSame = (one: Hash | undefined, other: Hash | undefined): boolean =>
  one !== undefined && other !== undefined && one.length === other.length && one.every((byte, i) => byte === other[i])

/** The Merkle tree of RFC 6962 over entries that come one after the other. Keeps one hash for each power of two. */
export class Tree {
  size = 0
  /** The hash of each 256 entries. */
  readonly blocks: Hash[] = []
  /** The hash of each complete subtree, the largest first. */
  readonly #peaks: Hash[] = []

  add(entry: string): void {
    let hash = leafHash(entry)
    let level = 0
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      hash = nodeHash(this.#peaks.pop() as Hash, hash)
      level++
      if (level === TILE_LEVELS) this.blocks.push(hash)
    }
    this.#peaks.push(hash)
    this.size++
  }

  root(): Hash {
    return (
      this.#peaks.reduceRight<Hash | null>((right, left) => (right ? nodeHash(left, right) : left), null) ?? sha256Of()
    )
  }
}

interface Inclusion {
  /** The entry's place, from 0. */
  readonly index: number
  readonly size: number
  readonly leaf: Hash
  readonly proof: readonly Hash[]
}

/** The root to which the proof leads (RFC 6962, 2.1.1); null for a proof of another form. */
export function rootOfInclusion({ index, size, leaf, proof }: Inclusion): Hash | null {
  if (!(index >= 0 && index < size && proof.every(isHash))) return null
  const rest = [...proof]
  const root = above(index, size)
  return rest.length === 0 ? root : null

  function above(at: number, count: number): Hash {
    if (count === 1) return leaf
    const half = greatestPowerBelow(count)
    const own = at < half ? above(at, half) : above(at - half, count - half)
    const other = rest.shift() ?? NO_HASH
    return at < half ? nodeHash(own, other) : nodeHash(other, own)
  }
}

/** In place of a part that a proof lacks: leads to no root. */
const NO_HASH = new Uint8Array()

const isHash = ({ length }: Hash): boolean => length === 32

interface Extension {
  readonly before: { readonly size: number; readonly root: Hash }
  readonly after: { readonly size: number; readonly root: Hash }
  readonly proof: readonly Hash[]
}

/** Whether the tree `after` begins with the tree `before` (RFC 6962, 2.1.2). */
export function isExtension({ before, after, proof }: Extension): boolean {
  if (before.size > after.size || !proof.every(isHash)) return false
  if (before.size === 0) return proof.length === 0
  const rest = [...proof]
  const [old, present] = roots(before.size, after.size, true)
  return rest.length === 0 && isSame(old, before.root) && isSame(present, after.root)

  /** Both roots of a subtree: with the entries of `before` alone, and with all. */
  function roots(wanted: number, count: number, isLeftmost: boolean): [Hash, Hash] {
    if (wanted === count) {
      const hash = isLeftmost ? before.root : (rest.shift() ?? NO_HASH)
      return [hash, hash]
    }
    const half = greatestPowerBelow(count)
    const isLeft = wanted <= half
    const [one, all] = isLeft ? roots(wanted, half, isLeftmost) : roots(wanted - half, count - half, false)
    const other = rest.shift() ?? NO_HASH
    return isLeft ? [one, nodeHash(all, other)] : [nodeHash(other, one), nodeHash(other, all)]
  }
}

/** Reads a tile of hashes: the level, its number, and how many hashes it has in a tree of the size. */
export type ReadTile = (level: number, number: number, width: number) => Promise<readonly Hash[]>

/** The consistency proof of RFC 6962 from a tree of `before` entries to one of `after`, made of tiles. */
export function proofOfExtension(before: number, after: number, readTile: ReadTile): Promise<Hash[]> {
  if (before === 0) return Promise.resolve([])
  return subproof(before, 0, after)

  async function subproof(wanted: number, from: number, to: number): Promise<Hash[]> {
    if (wanted === to - from) return from === 0 && wanted === before ? [] : [await hashOf(from, to)]
    const middle = from + greatestPowerBelow(to - from)
    return wanted <= middle - from
      ? [...(await subproof(wanted, from, middle)), await hashOf(middle, to)]
      : [...(await subproof(wanted - (middle - from), middle, to)), await hashOf(from, middle)]
  }

  async function hashOf(from: number, to: number): Promise<Hash> {
    if (!isPower(to - from)) {
      const middle = from + greatestPowerBelow(to - from)
      return nodeHash(await hashOf(from, middle), await hashOf(middle, to))
    }
    const level = Math.floor((31 - Math.clz32(to - from)) / TILE_LEVELS)
    const unit = 256 ** level
    const number = Math.floor(from / (256 * unit))
    const hashes = await readTile(level, number, Math.min(256, Math.floor(after / unit) - 256 * number))
    let row = hashes.slice(from / unit - 256 * number, to / unit - 256 * number)
    while (row.length > 1) row = row.flatMap((left, i) => (i % 2 === 0 ? [nodeHash(left, row[i + 1] as Hash)] : []))
    return row[0] as Hash
  }
}

const isPower = (size: number): boolean => (size & (size - 1)) === 0
const greatestPowerBelow = (size: number): number => 2 ** (31 - Math.clz32(size - 1))
