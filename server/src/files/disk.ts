import { accessSync, constants, mkdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Semaphore } from '../base/work/semaphore.ts'
import { isFileKey } from './file-keys.ts'
import { type FileStore, openUnfinished, throwStoreAway } from './file-store.ts'

const OWNER_ALONE = 0o600
/** Syncs of files run in the same threads as the votes' sync, and on the same disk. */
const SYNCS_AT_ONCE = 2

/** Files appear whole or not at all, and are durable before `put` returns. */
export function createDiskStore(
  folder: string,
  { isShared = false, sync = makeDurable }: { isShared?: boolean; sync?: (path: string) => Promise<void> } = {},
): FileStore {
  const syncs = new Semaphore(SYNCS_AT_ONCE)
  mkdirSync(folder, { recursive: true })
  accessSync(folder, constants.W_OK)
  const find = async (key: string) => {
    const file = Bun.file(join(folder, key))
    return (await file.exists()) ? file : null
  }
  return {
    // On the same file system as the files, so that `put` can rename instead of copying.
    workspace: openUnfinished(join(folder, '.unfinished'), { isShared }),
    async put(key, path) {
      assertFileKey(key)
      try {
        await syncs.run(async () => {
          await sync(path)
          await rename(path, join(folder, key))
          await syncFolder(folder)
        })
      } catch (error) {
        throwStoreAway(error)
      }
    },
    async sizeOf(key) {
      return (await find(key))?.size ?? null
    },
    async read(key) {
      const file = await find(key)
      return file && { size: file.size, body: () => file }
    },
    async borrow(key) {
      return (await find(key)) && { path: join(folder, key), giveBack: async () => undefined }
    },
    async remove(key) {
      assertFileKey(key)
      await rm(join(folder, key), { force: true })
    },
  }
}

/** A key with a path in it would name a file elsewhere, such as the database. */
function assertFileKey(key: string): void {
  if (!isFileKey(key)) throw new Error(`${key} is no key of a file`)
}

async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.chmod(OWNER_ALONE)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
