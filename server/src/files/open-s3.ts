import { randomUUID } from 'node:crypto'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import type { S3Place } from '../config/s3-url.ts'
import { type FileStore, storeBytes } from './file-store.ts'
import { createS3Store } from './s3.ts'
import type { Unfinished } from './unfinished.ts'

/** Tests the bucket at the start, so that a wrong secret or a missing permission shows now, not at the first upload. */
export async function openS3(place: S3Place, workspace: Unfinished): Promise<FileStore> {
  const store = createS3Store(place, workspace)
  const key = `start-${randomUUID()}.png`
  const bytes = new TextEncoder().encode('a server that starts tries whether it may write, read and remove')
  try {
    await storeBytes(store, key, bytes)
    const written = await new Response((await store.read(key))?.body()).bytes()
    await store.remove(key)
    if (Buffer.compare(written, bytes) !== 0) throw new Error('what was written is not what is read')
    // Without permission to list, S3 answers 403 instead of 404 for a missing object.
    if ((await store.sizeOf(key)) !== null) throw new Error('what was removed is still there')
    return store
  } catch (error) {
    throw new PlainFailure(`Cannot use S3_URL: ${reasonOf(error)}.`, { cause: error })
  }
}
