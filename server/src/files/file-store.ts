// files: files by key, on disk or in S3, and the pictures that are made of them.
// Keys are never reused, and a stored file never changes.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '../base/errors.ts'

const HOUR_MS = 3_600_000

/** A folder for files that are being written. */
export interface Unfinished {
  newPath(): string
  discard(path: string): Promise<void>
}

/** Removes what a crash left behind; beside other servers only files too old to be in use. */
export function openUnfinished(folder: string, { isShared }: { isShared: boolean }): Unfinished {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!isShared || ageOf(path) > HOUR_MS) rmSync(path, { recursive: true, force: true })
  }
  return {
    newPath: () => join(folder, randomUUID()),
    async discard(path) {
      // A file that cannot be removed now is removed at the next start. An error here must not hide the error before it.
      await rm(path, { force: true }).catch(() => undefined)
    },
  }
}

const ageOf = (path: string): number =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)

export interface StoredFile {
  readonly size: number
  /** Call it only once: a stream cannot be read twice. */
  body(): Blob | ReadableStream<Uint8Array>
}

export function streamOf(file: StoredFile): ReadableStream<Uint8Array> {
  const body = file.body()
  return body instanceof Blob ? body.stream() : body
}

/** A file at a local path that Bun can open. It is read-only, and must be given back. */
export interface BorrowedFile {
  readonly path: string
  giveBack(): Promise<void>
}

/** Stores files under keys that are never reused, so that a file may be cached forever. */
export interface FileStore {
  /** Holds files that are being written, until `put` moves them. */
  readonly workspace: Unfinished
  /** Moves a file from `workspace`. Atomic: the file is complete and durable when this resolves, and not visible before. */
  put(key: string, path: string): Promise<void>
  /** Null if there is no such file. */
  sizeOf(key: string): Promise<number | null>
  read(key: string): Promise<StoredFile | null>
  borrow(key: string): Promise<BorrowedFile | null>
  /** Succeeds also if there is no such file. */
  remove(key: string): Promise<void>
}

export async function storeBytes({ workspace, put }: FileStore, key: string, bytes: Uint8Array | Blob): Promise<void> {
  const path = workspace.newPath()
  try {
    await Bun.write(path, bytes).catch(throwStoreAway)
    await put(key, path)
  } finally {
    await workspace.discard(path)
  }
}

const AWAY = 'the file store does not answer: '

/** The store is unavailable: a full disk, or a bucket that does not answer. Not the client's fault, and worth a retry. */
export class StoreAway extends Error {
  constructor(cause: unknown) {
    const reason = reasonOf(cause)
    // A cause out of another process says it already.
    super(reason.startsWith(AWAY) ? reason : AWAY + reason, { cause })
    this.name = 'StoreAway'
  }
}

export function throwStoreAway(cause: unknown): never {
  throw cause instanceof StoreAway ? cause : new StoreAway(cause)
}
