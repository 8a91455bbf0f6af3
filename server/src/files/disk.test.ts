import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canMount, mountSmall, unmount } from '../../test/small-disk.ts'
import { createDiskStore } from './disk.ts'
import { type FileStore, StoreAway, storeBytes } from './file-store.ts'

const keyOf = (name: string) => `${name.padEnd(32, '-')}.png`

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

  test('a stored file is read byte for byte, and is private to the user of the process', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000))
    await storeBytes(store, keyOf('a'), bytes)
    expect(await new Response((await store.read(keyOf('a')))?.body()).bytes()).toEqual(bytes)
    const borrowed = await store.borrow(keyOf('a'))
    expect(await Bun.file(borrowed?.path ?? '').bytes()).toEqual(bytes)
    await borrowed?.giveBack()
    expect(await store.sizeOf(keyOf('a'))).toBe(50_000)
    expect((await stat(join(folder, keyOf('a')))).mode & 0o777).toBe(0o600)
    await storeBytes(store, keyOf('empty'), new Uint8Array())
    expect((await store.read(keyOf('empty')))?.size).toBe(0)
  })

  test('at most two of many files are synced at once', async () => {
    let running = 0
    let most = 0
    const both = Promise.withResolvers<void>()
    const sync = async () => {
      most = Math.max(most, ++running)
      // The first waits for the second, which a slow disk may let arrive late.
      if (running === 2) both.resolve()
      await both.promise
      // Real time: a disk that takes its time.
      await Bun.sleep(10)
      running--
    }
    const slow = createDiskStore(join(parent, 'slow'), { sync })
    const keys = ['a', 'b', 'c', 'd', 'e'].map(keyOf)
    await Promise.all(keys.map((key) => storeBytes(slow, key, new Uint8Array(1))))
    expect(most).toBe(2)
    expect(await Promise.all(keys.map((key) => slow.sizeOf(key)))).toEqual([1, 1, 1, 1, 1])
  })

  test('only keys of files are written and removed', async () => {
    await writeFile(join(parent, 'deep', 'tossup.sqlite'), 'votes')
    await expect(store.remove('../tossup.sqlite')).rejects.toThrow('is no key of a file')
    await expect(storeBytes(store, '../tossup.sqlite', new Uint8Array(1))).rejects.toThrow('is no key of a file')
    expect(await Bun.file(join(parent, 'deep', 'tossup.sqlite')).text()).toBe('votes')
  })

  test('a missing file is null', async () => {
    expect(await store.read('nothing.png')).toBeNull()
    expect(await store.borrow('nothing.png')).toBeNull()
    await mkdir(join(folder, 'folder.png'))
    expect(await store.read('folder.png')).toBeNull()
    await rm(join(folder, 'folder.png'), { recursive: true })
  })

  test('a reader never sees half a file', async () => {
    const versions = [new Uint8Array(2_000_000).fill(1), new Uint8Array(2_000_000).fill(2)]
    await storeBytes(store, keyOf('b'), versions[0] ?? new Uint8Array())
    let isWriting = true
    const writer = (async () => {
      for (let i = 0; i < 20; i++) await storeBytes(store, keyOf('b'), versions[i % 2] ?? new Uint8Array())
      isWriting = false
    })()
    while (isWriting) {
      const seen = await Bun.file(join(folder, keyOf('b'))).bytes()
      expect(seen.length).toBe(2_000_000)
      expect(seen.every((byte) => byte === seen[0])).toBe(true)
    }
    await writer
  })

  test('a failed put leaves nothing behind', async () => {
    await mkdir(join(folder, keyOf('taken')))
    await writeFile(join(folder, keyOf('taken'), 'inside'), '')
    await expect(storeBytes(store, keyOf('taken'), new Uint8Array(10))).rejects.toThrow(StoreAway)
    await rm(join(folder, keyOf('taken')), { recursive: true })
    expect((await readdir(folder)).sort()).toEqual(['.unfinished', keyOf('a'), keyOf('b'), keyOf('empty')])
    expect(await readdir(join(folder, '.unfinished'))).toEqual([])
  })

  test('a file can be measured without being read, and removed, once or twice', async () => {
    await storeBytes(store, keyOf('c'), new Uint8Array(123))
    expect(await store.sizeOf(keyOf('c'))).toBe(123)
    for (let i = 0; i < 2; i++) await store.remove(keyOf('c'))
    expect(await store.sizeOf(keyOf('c'))).toBeNull()
    expect(await store.read(keyOf('c'))).toBeNull()
  })

  test.if(canMount)('a full disk makes the store unavailable, and no partial file is visible', async () => {
    const small = join(parent, 'small')
    await mkdir(small)
    await mountSmall(small)
    try {
      const full = createDiskStore(small)
      await expect(storeBytes(full, keyOf('big'), new Uint8Array(2_000_000))).rejects.toThrow(StoreAway)
      await expect(storeBytes(full, keyOf('big'), new Uint8Array(2_000_000))).rejects.toThrow('ENOSPC')
      expect(await full.read(keyOf('big'))).toBeNull()
      expect(await readdir(join(small, '.unfinished'))).toEqual([])
      await storeBytes(full, keyOf('little'), new Uint8Array(1_000))
      expect(await full.sizeOf(keyOf('little'))).toBe(1_000)
    } finally {
      await unmount(small)
    }
  })

  test('a folder that cannot be created is reported at once', async () => {
    await writeFile(join(parent, 'file'), '')
    expect(() => createDiskStore(join(parent, 'file', 'files'))).toThrow('ENOTDIR')
  })
})
