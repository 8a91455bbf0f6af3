import { accessSync, constants, mkdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { away, type FileStore } from './file-store.ts'
import { openUnfinished } from './unfinished.ts'

const OWNER_ALONE = 0o600

/** Files appear whole or not at all, and are on the disk before `put` returns. */
export function createDiskStore(folder: string, { isShared = false } = {}): FileStore {
  mkdirSync(folder, { recursive: true })
  accessSync(folder, constants.W_OK)
  const find = async (key: string) => {
    const file = Bun.file(join(folder, key))
    return (await file.exists()) ? file : null
  }
  return {
    // Beside the files, so that a file is moved and never copied.
    workspace: openUnfinished(join(folder, '.unfinished'), { isShared }),
    async put(key, path) {
      try {
        await makeDurable(path)
        await rename(path, join(folder, key))
        await syncFolder(folder)
      } catch (error) {
        away(error)
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
      await rm(join(folder, key), { force: true })
    },
  }
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
