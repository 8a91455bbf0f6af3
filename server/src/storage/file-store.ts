// storage: files by key, on disk or in S3, and the pictures that are made of them.
// Imports rooms: base.
// Keys are never reused, and a stored file never changes.

import { reasonOf } from '../base/errors.ts'
import type { Unfinished } from './unfinished.ts'

export interface StoredFile {
  readonly size: number
  /** Once: what is streamed cannot be read again. */
  body(): Blob | ReadableStream<Uint8Array>
}

/** A file where Bun can read it by itself; nobody writes to it, and it is given back. */
export interface BorrowedFile {
  readonly path: string
  giveBack(): Promise<void>
}

/** Keeps bytes under keys that are never reused, so that a file may be cached for ever. */
export interface FileStore {
  /** Where a file is written that `put` then takes over. */
  readonly workspace: Unfinished
  /** Moves a file of `workspace`: whole and durable when it resolves, and not there at all before. */
  put(key: string, path: string): Promise<void>
  /** Null when there is no such file. */
  sizeOf(key: string): Promise<number | null>
  read(key: string): Promise<StoredFile | null>
  borrow(key: string): Promise<BorrowedFile | null>
  /** Also when there is no such file. */
  remove(key: string): Promise<void>
}

export async function storeBytes({ workspace, put }: FileStore, key: string, bytes: Uint8Array): Promise<void> {
  const path = workspace.newPath()
  try {
    await Bun.write(path, bytes).catch(away)
    await put(key, path)
  } finally {
    await workspace.discard(path)
  }
}

/** The disk is full, the bucket does not answer: not the fault of who asks, and worth another try. */
export class StoreAway extends Error {
  constructor(cause: unknown) {
    super(`the file store does not answer: ${reasonOf(cause)}`, { cause })
    this.name = 'StoreAway'
  }
}

export function away(cause: unknown): never {
  throw cause instanceof StoreAway ? cause : new StoreAway(cause)
}
