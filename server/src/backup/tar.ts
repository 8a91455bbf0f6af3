import { PlainFailure } from '../base/errors.ts'

/** The format of `tar`, so that an archive can also be looked into and unpacked without Tossup. */
export const BLOCK_BYTES = 512
const MOST_OCTAL = 0o77777777777

export interface TarHeader {
  readonly name: string
  readonly bytes: number
}

export function tarHeader({ name, bytes }: TarHeader, seconds: number): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES)
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for an archive`)
  block.write(name, 0)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (bytes <= MOST_OCTAL) block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  else writeLarge(block, bytes)
  block.write(`${Math.floor(seconds).toString(8).padStart(11, '0')}\0`, 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** From 8 GiB on: the size in binary, marked by its first bit. */
function writeLarge(block: Buffer, bytes: number): void {
  block[124] = 0x80
  block.writeBigUInt64BE(BigInt(bytes), 128)
}

/** Null for the empty block that ends an archive. */
export function readTarHeader(block: Buffer): TarHeader | null {
  if (block.every((byte) => byte === 0)) return null
  const sum = Number.parseInt(block.toString('latin1', 148, 156), 8)
  const unsummed = Buffer.from(block)
  unsummed.write('        ', 148)
  const isFile = block[156] === 0x30 && block.toString('latin1', 257, 262) === 'ustar'
  if (sum !== sumOf(unsummed) || !isFile) throw new PlainFailure('This is not an archive of Tossup, or it is damaged.')
  const end = block.indexOf(0)
  const isLarge = ((block[124] ?? 0) & 0x80) !== 0
  const bytes = isLarge ? Number(block.readBigUInt64BE(128)) : Number.parseInt(block.toString('latin1', 124, 135), 8)
  if (!Number.isSafeInteger(bytes))
    throw new PlainFailure('The archive is damaged: an entry has no length that can be.')
  return { name: block.toString('utf8', 0, Math.min(end, 100)), bytes }
}

const sumOf = (block: Buffer): number => block.reduce((sum, byte) => sum + byte, 0)

export const paddingOf = (bytes: number): number => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES
