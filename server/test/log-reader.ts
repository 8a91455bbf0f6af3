import { createHash, createPublicKey, verify } from 'node:crypto'

/** Written from RFC 6962 and the C2SP specifications alone, so that it shares no mistake with the server. */
const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const leafHash = (entry: string): Buffer => sha256(Buffer.of(0), Buffer.from(entry))
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right)

/** MTH of RFC 6962, section 2.1. */
export function treeHead(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] as Buffer
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(treeHead(leaves.slice(0, split)), treeHead(leaves.slice(split)))
}

/** RFC 9162, section 2.1.3.2. */
export function includes(
  leaf: Buffer,
  index: number,
  { size, root }: Pick<ReadCheckpoint, 'size' | 'root'>,
  proof: readonly string[],
) {
  let [first, last] = [index, size - 1]
  let hash = leaf
  for (const text of proof) {
    const sibling = Buffer.from(text, 'base64')
    if (last === 0) return false
    if (first % 2 === 1 || first === last) {
      hash = nodeHash(sibling, hash)
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)]
    } else hash = nodeHash(hash, sibling)
    ;[first, last] = [Math.floor(first / 2), Math.floor(last / 2)]
  }
  return last === 0 && hash.equals(root)
}

export interface ReadCheckpoint {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
}

/** Throws unless the key has signed the checkpoint. */
export function readCheckpoint(note: string, publicKey: string): ReadCheckpoint {
  const [, text = '', name, signature = ''] = /^([\s\S]*\n)\n— (\S+) (\S+)\n$/.exec(note) ?? []
  const [origin = '', size = '', root = ''] = text.split('\n')
  const [, keyName, keyHash, key = ''] = /^(.*)\+([0-9a-f]{8})\+(.+)$/.exec(publicKey) ?? []
  const bytes = Buffer.from(key, 'base64')
  const signed = Buffer.from(signature, 'base64')
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes.subarray(1)])
  const isSigned = verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: spki, format: 'der', type: 'spki' }),
    signed.subarray(4),
  )
  const expected = sha256(Buffer.from(`${name}\n`), bytes)
    .subarray(0, 4)
    .toString('hex')
  if (!isSigned || name !== origin || keyName !== origin) throw new Error('the checkpoint is not signed by the key')
  if (keyHash !== expected || signed.subarray(0, 4).toString('hex') !== expected) throw new Error('another key hash')
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') }
}

/** The entries in a tile of entries. */
export function entriesIn(tile: Buffer): string[] {
  const entries: string[] = []
  for (let at = 0; at < tile.length; ) {
    const end = at + 2 + tile.readUInt16BE(at)
    entries.push(tile.toString('utf8', at + 2, end))
    at = end
  }
  return entries
}
