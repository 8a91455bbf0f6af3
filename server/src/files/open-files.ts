import { join } from 'node:path'
import type { S3Place } from '../config/setting-kinds.ts'
import { createDiskStore } from './disk.ts'
import { type FileStore, openUnfinished } from './file-store.ts'
import { createS3Store } from './s3.ts'

export interface FilePlace {
  readonly dataDir: string
  readonly s3: S3Place | null
}

/** For commands that run beside a server: leaves the unfinished files of the server alone. */
export function openFilesBeside({ dataDir, s3 }: FilePlace): FileStore {
  const shared = { isShared: true }
  return s3
    ? createS3Store(s3, openUnfinished(join(dataDir, 'uploads'), shared))
    : createDiskStore(join(dataDir, 'files'), shared)
}
