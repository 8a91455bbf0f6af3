import { type Bytes, shortKeyedHash } from '../../base/secrets.ts'
import type { OptionName } from '../../db/tables.ts'
import { HASH_BYTES, sha256 } from './tree.ts'

const NONCE_BYTES = 16
const COMMITMENT_LENGTH = 43
const TITLE = 'tossup-vote/1 '
const LEAF_BYTES = 1 + TITLE.length + 2 + COMMITMENT_LENGTH

/** Known only to the voter and the service: who knows it finds the entry of the vote. */
export const nonceOf = (key: Bytes, device: Uint8Array): Bytes => shortKeyedHash(key, device, NONCE_BYTES)

export interface LoggedVote {
  readonly option: OptionName
  readonly device: Uint8Array
}

/** The zero byte of a leaf in RFC 6962, and the entry of a vote. Each vote is written over the last one. */
const leaf = Buffer.alloc(LEAF_BYTES)
leaf.write(TITLE, 1)
leaf.write(' ', TITLE.length + 2)
const entry = leaf.subarray(1)
const LENGTH_BYTES = 2
const digest = new Uint8Array(HASH_BYTES)

function writeLeaf(key: Bytes, { option, device }: LoggedVote): void {
  leaf[TITLE.length + 1] = option === 'A' ? 65 : 66
  Bun.SHA256.hash(nonceOf(key, device), digest)
  writeBase64url(digest, TITLE.length + 3)
}

/** Without a text for each vote, which would cost as much as its hashes. */
function writeBase64url(bytes: Uint8Array, start: number): void {
  let at = start
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let shift = 18; shift >= 0 && at < LEAF_BYTES; shift -= 6)
      leaf[at++] = ALPHABET[(group >> shift) & 63] as number
  }
}

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

export const commitmentOf = (nonce: Uint8Array): string => Buffer.from(sha256(nonce)).toString('base64url')

export function entryOf(key: Bytes, vote: LoggedVote): string {
  writeLeaf(key, vote)
  return entry.toString('latin1')
}

/** The entries of a tile, each behind its length, without a text for each. */
export function entryTile(key: Bytes, votes: readonly LoggedVote[]): Uint8Array {
  const tile = Buffer.alloc(votes.length * (LENGTH_BYTES + entry.length))
  let at = 0
  for (const vote of votes) {
    writeLeaf(key, vote)
    at = tile.writeUInt16BE(entry.length, at)
    tile.set(entry, at)
    at += entry.length
  }
  return tile
}

export function leafHashOf(key: Bytes, vote: LoggedVote): Uint8Array {
  writeLeaf(key, vote)
  return sha256(leaf)
}
