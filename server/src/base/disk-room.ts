import { statfs } from 'node:fs/promises'

export interface DiskRoom {
  readonly freeBytes: number
  readonly totalBytes: number
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
