import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { syncPath } from '../base/machine.ts'

/** Where an archive goes. */
export interface Sink {
  write(chunk: Uint8Array): Promise<void>
  /** The archive is complete and durable when this resolves, and was not there before. */
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): Promise<void>
}

/** Written out often: one sync of everything at the end would hold up the syncs for which votes wait. */
const SYNC_BYTES = 8_388_608

/** Refuses to replace a file: it may be the only backup. */
export function fileSink(path: string): Sink {
  const partial = `${path}.partial`
  let unsynced = 0
  let isClosed = false
  const file = within(path, () => {
    assertFree(path)
    return openSync(partial, 'w', 0o600)
  })
  /** Once: the number may have been given to another file since. */
  function close(): void {
    if (isClosed) return
    isClosed = true
    closeSync(file)
  }
  return {
    async write(chunk) {
      within(path, () => {
        for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
        unsynced += chunk.length
        if (unsynced < SYNC_BYTES) return
        fdatasyncSync(file)
        unsynced = 0
      })
    },
    async finish() {
      within(path, () => {
        fsyncSync(file)
        close()
        assertFree(path)
        renameSync(partial, path)
        syncPath(dirname(path))
      })
    },
    async abandon() {
      close()
      rmSync(partial, { force: true })
    },
  }
}

function assertFree(path: string): void {
  try {
    closeSync(openSync(path, 'r'))
  } catch {
    return
  }
  throw new PlainFailure(`${path} exists. Choose another name, or remove the file.`)
}

export function standardOutput(): Sink {
  const writer = Bun.stdout.writer()
  return {
    async write(chunk) {
      writer.write(chunk)
      // Waits for the reader of a pipe.
      await writer.flush()
    },
    async finish() {
      await writer.end()
    },
    // The reader of the pipe finds no manifest.
    abandon: async () => undefined,
  }
}

function within<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot write ${path}: ${reasonOf(error)}.`, { cause: error })
  }
}
