import { open } from 'node:fs/promises'
import { PlainFailure, reasonOf } from '../base/errors.ts'

const CHUNK_BYTES = 1_048_576

/** An archive in a file, or from standard input for `-`. */
export const archiveSource = (path: string): AsyncIterable<Uint8Array> =>
  path === '-' ? Bun.stdin.stream() : fileChunks(path)

async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r').catch((error) => {
    throw new PlainFailure(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error })
  })
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
