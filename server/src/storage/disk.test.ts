import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskStore } from './disk.ts'
import type { FileStore } from './file-store.ts'

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
    await store.put('a.png', bytes)
    expect(await (await store.read('a.png'))?.bytes()).toEqual(bytes)
    expect((await stat(join(folder, 'a.png'))).mode & 0o777).toBe(0o600)
    await store.put('empty.png', new Uint8Array())
    expect((await store.read('empty.png'))?.size).toBe(0)
  })

  test('what is not there is null', async () => {
    expect(await store.read('nothing.png')).toBeNull()
    await mkdir(join(folder, 'folder.png'))
    expect(await store.read('folder.png')).toBeNull()
    await rm(join(folder, 'folder.png'), { recursive: true })
  })

  test('a reader never sees half a file', async () => {
    const versions = [new Uint8Array(2_000_000).fill(1), new Uint8Array(2_000_000).fill(2)]
    await store.put('b.png', versions[0] ?? new Uint8Array())
    let isWriting = true
    const writer = (async () => {
      for (let i = 0; i < 20; i++) await store.put('b.png', versions[i % 2] ?? new Uint8Array())
      isWriting = false
    })()
    while (isWriting) {
      const seen = await Bun.file(join(folder, 'b.png')).bytes()
      expect(seen.length).toBe(2_000_000)
      expect(seen.every((byte) => byte === seen[0])).toBe(true)
    }
    await writer
  })

  test('a put that fails leaves nothing behind', async () => {
    await mkdir(join(folder, 'taken.png'))
    await writeFile(join(folder, 'taken.png', 'inside'), '')
    await expect(store.put('taken.png', new Uint8Array(10))).rejects.toThrow()
    await rm(join(folder, 'taken.png'), { recursive: true })
    expect((await readdir(folder)).sort()).toEqual(['a.png', 'b.png', 'empty.png'])
  })

  test('a folder that cannot be made is told at once', async () => {
    await writeFile(join(parent, 'file'), '')
    expect(() => createDiskStore(join(parent, 'file', 'files'))).toThrow('ENOTDIR')
  })
})
