import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canMount, mountSmall, unmount } from '../../test/small-disk.ts'
import { createDiskStore } from './disk.ts'
import { type FileStore, StoreAway, storeBytes } from './file-store.ts'

describe('files on the disk', () => {
  let parent: string
  let folder: string
  let store: FileStore

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tossup-test-'))
    folder = join(parent, 'deep', 'files')
    store = createDiskStore(folder)
  })
  afterAll(() => rm(parent, { recursive: true }))

  test('what was put is read, byte for byte, by nobody else on the machine', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000))
    await storeBytes(store, 'a.png', bytes)
    expect(await new Response((await store.read('a.png'))?.body()).bytes()).toEqual(bytes)
    const borrowed = await store.borrow('a.png')
    expect(await Bun.file(borrowed?.path ?? '').bytes()).toEqual(bytes)
    await borrowed?.giveBack()
    expect(await store.sizeOf('a.png')).toBe(50_000)
    expect((await stat(join(folder, 'a.png'))).mode & 0o777).toBe(0o600)
    await storeBytes(store, 'empty.png', new Uint8Array())
    expect((await store.read('empty.png'))?.size).toBe(0)
  })

  test('what is not there is null', async () => {
    expect(await store.read('nothing.png')).toBeNull()
    expect(await store.borrow('nothing.png')).toBeNull()
    await mkdir(join(folder, 'folder.png'))
    expect(await store.read('folder.png')).toBeNull()
    await rm(join(folder, 'folder.png'), { recursive: true })
  })

  test('a reader never sees half a file', async () => {
    const versions = [new Uint8Array(2_000_000).fill(1), new Uint8Array(2_000_000).fill(2)]
    await storeBytes(store, 'b.png', versions[0] ?? new Uint8Array())
    let isWriting = true
    const writer = (async () => {
      for (let i = 0; i < 20; i++) await storeBytes(store, 'b.png', versions[i % 2] ?? new Uint8Array())
      isWriting = false
    })()
    while (isWriting) {
      const seen = await Bun.file(join(folder, 'b.png')).bytes()
      expect(seen.length).toBe(2_000_000)
      expect(seen.every((byte) => byte === seen[0])).toBe(true)
    }
    await writer
  }, 30_000)

  test('a put that fails leaves nothing behind', async () => {
    await mkdir(join(folder, 'taken.png'))
    await writeFile(join(folder, 'taken.png', 'inside'), '')
    await expect(storeBytes(store, 'taken.png', new Uint8Array(10))).rejects.toThrow(StoreAway)
    await rm(join(folder, 'taken.png'), { recursive: true })
    expect((await readdir(folder)).sort()).toEqual(['.unfinished', 'a.png', 'b.png', 'empty.png'])
    expect(await readdir(join(folder, '.unfinished'))).toEqual([])
  })

  test('a file can be measured without being read, and removed, once or twice', async () => {
    await storeBytes(store, 'c.png', new Uint8Array(123))
    expect(await store.sizeOf('c.png')).toBe(123)
    for (let i = 0; i < 2; i++) await store.remove('c.png')
    expect(await store.sizeOf('c.png')).toBeNull()
    expect(await store.read('c.png')).toBeNull()
  })

  test.if(canMount)('a full disk is a store that is away, and nothing half-written shows', async () => {
    const small = join(parent, 'small')
    await mkdir(small)
    await mountSmall(small)
    try {
      const full = createDiskStore(small)
      await expect(storeBytes(full, 'big.png', new Uint8Array(2_000_000))).rejects.toThrow(StoreAway)
      await expect(storeBytes(full, 'big.png', new Uint8Array(2_000_000))).rejects.toThrow('ENOSPC')
      expect(await full.read('big.png')).toBeNull()
      expect(await readdir(join(small, '.unfinished'))).toEqual([])
      await storeBytes(full, 'little.png', new Uint8Array(1_000))
      expect(await full.sizeOf('little.png')).toBe(1_000)
    } finally {
      await unmount(small)
    }
  })

  test('a folder that cannot be made is told at once', async () => {
    await writeFile(join(parent, 'file'), '')
    expect(() => createDiskStore(join(parent, 'file', 'files'))).toThrow('ENOTDIR')
  })
})
