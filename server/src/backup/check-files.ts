import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { expectedFiles, FILE_FACTS, type FileFacts } from '../files/file-keys.ts'
import type { FileStore } from '../files/file-store.ts'

const AT_ONCE = 8

export interface FileFindings {
  readonly files: number
  readonly missing: readonly string[]
  readonly wrongSize: readonly string[]
}

/** Looks for every file that the database names. */
export async function checkFiles(select: Snapshot['select'], store: Pick<FileStore, 'sizeOf'>): Promise<FileFindings> {
  const expected = (await select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
  const missing: string[] = []
  const wrongSize: string[] = []
  for (let at = 0; at < expected.length; at += AT_ONCE) {
    const looks = expected.slice(at, at + AT_ONCE).map(async ({ key, bytes }) => {
      const size = await store.sizeOf(key)
      if (size === null) missing.push(key)
      else if (size === 0 || (bytes !== null && size !== bytes)) wrongSize.push(key)
    })
    await Promise.all(looks)
  }
  return { files: expected.length, missing: missing.sort(), wrongSize: wrongSize.sort() }
}
