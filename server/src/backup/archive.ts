// backup: archives of the whole service and of one brand: written, and read as bytes.

import { PlainFailure } from '../base/errors.ts'
import type { Counter } from '../db/snapshots/snapshot.ts'

/** Version 1 held the files of SQLite, or rows as PostgreSQL copies them. */
export const FORMAT = 2

/** The first entry of an archive. */
export interface ArchiveHead {
  readonly format: typeof FORMAT
  readonly kind: 'backup' | 'brand'
  readonly id: string
  /** The version of Tossup that made it. */
  readonly version: string
  readonly createdAt: string
  /** The migrations that had been applied. */
  readonly migrations: readonly string[]
}

export interface BackupHead extends ArchiveHead {
  readonly kind: 'backup'
}

export interface BrandHead extends ArchiveHead {
  readonly kind: 'brand'
  readonly slug: string
  readonly hasVotes: boolean
  /** The prefix of picture addresses on the exporting service. */
  readonly filesUrl: string
}

export interface ArchiveEntry {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** The last entry: an archive without it is incomplete. */
export interface ArchiveManifest {
  readonly id: string
  readonly entries: readonly ArchiveEntry[]
  /** The rows of each table. */
  readonly counts: Readonly<Record<string, number>>
  /** Files that the database names and the store does not have. */
  readonly missingFiles: readonly string[]
}

/** How the archive's data keys can be opened: with its own `secret.key`, or with a secret that the operator holds. */
export type SecretPlace = 'in the backup' | 'left out' | 'SECRET_KEY'

export interface BackupManifest extends ArchiveManifest {
  readonly secret: SecretPlace
  readonly counters: readonly Counter[]
}

export const HEAD = 'tossup.json'
export const MANIFEST = 'manifest.json'
export const MANIFEST_SUM = 'manifest.sha256'
export const ROWS_FOLDER = 'rows/'
export const FILES_FOLDER = 'files/'
export const SECRET_ENTRY = 'secret.key'

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

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
