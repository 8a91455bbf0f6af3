import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import vectors from '../../../test/log-in-go/vectors.json'
import { commitmentOf, entryOf, leafHashOf, nonceOf } from './entries.ts'
import { NoteSigner } from './notes.ts'
import { Growth, HASH_BYTES, inclusionProof, rootOf, sha256, TILE_HEIGHT, TILE_WIDTH } from './tree.ts'

// The program beside the vectors made them with the libraries of Go.

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function leafOf(i: number): Uint8Array {
  const commitment = createHash('sha256').update(String(i)).digest('base64url')
  return sha256(Buffer.from(`\0tossup-vote/1 ${i % 3 === 0 ? 'B' : 'A'} ${commitment}`))
}

test('the entry of a vote is a commitment to its nonce', () => {
  const key = Buffer.from(vectors.entry.key, 'hex')
  const device = Buffer.from(vectors.entry.device, 'hex')
  const nonce = nonceOf(key, device)
  expect(Buffer.from(nonce).toString('base64url')).toBe(vectors.entry.nonce)
  expect(commitmentOf(nonce)).toBe(vectors.entry.commitment)
  expect(entryOf(key, { option: 'A', device })).toBe(vectors.entry.entryOfA)
  expect(entryOf(key, { option: 'B', device })).toBe(vectors.entry.entryOfA.replace(' A ', ' B '))
  expect(leafHashOf(key, { option: 'A', device })).toEqual(sha256(Buffer.from(`\0${vectors.entry.entryOfA}`)))
})

test('a checkpoint is a signed note', () => {
  const { seed, origin, size, root, publicKey, checkpoint } = vectors.note
  const signer = new NoteSigner(Buffer.from(seed, 'hex'))
  expect(signer.verifierKey(origin)).toBe(publicKey)
  expect(signer.checkpoint({ origin, size, root: Buffer.from(root, 'base64') })).toBe(checkpoint)
})

test('roots and inclusion proofs are those of RFC 6962, however a log grows', () => {
  /** By level; the hashes of trees of 256^level leaves. */
  const trees: Uint8Array[][] = [[]]
  const keep = (level: number, hash: Uint8Array, number: number) => {
    trees[level] ??= []
    expect((trees[level] as Uint8Array[]).push(hash)).toBe(number + 1)
  }
  let growth = new Growth({ size: 0, peaks: new Uint8Array(0) }, keep)
  // The largest tree takes long: a proof grows one.
  for (const { size, root } of vectors.trees.filter((each) => each.size < 100_000)) {
    // Goes on from a stored state.
    growth = new Growth({ size: growth.size, peaks: Buffer.concat(growth.peaks) }, keep)
    while (growth.size < size) {
      const leaf = leafOf(growth.size)
      trees[0]?.push(leaf)
      growth.add(leaf)
    }
    expect([size, base64(rootOf(growth.peaks))]).toEqual([size, root])
    for (const { index, proof } of vectors.inclusion.filter((each) => each.size === size)) {
      const tiles = trees.map((hashes, level) => {
        const begin = Math.floor(index / TILE_WIDTH ** (level + 1)) * TILE_WIDTH
        return hashes.slice(begin, begin + TILE_WIDTH)
      })
      expect([index, inclusionProof(growth, index, tiles).map(base64)]).toEqual([index, proof])
    }
  }
  expect(trees.map((hashes) => hashes.length)).toEqual([65_537, 256, 1])
}, 60_000)

test('a state with other peaks than its size has is refused', () => {
  expect(() => new Growth({ size: 3, peaks: new Uint8Array(HASH_BYTES) }, () => undefined)).toThrow('other peaks')
  expect(2 ** TILE_HEIGHT).toBe(TILE_WIDTH)
})
