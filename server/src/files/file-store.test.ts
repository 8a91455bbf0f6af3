import { afterAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openUnfinished } from './file-store.ts'

const parent = await mkdtemp(join(tmpdir(), 'tossup-test-'))
afterAll(() => rm(parent, { recursive: true }))

async function leftBehind(folder: string): Promise<string> {
  const path = join(parent, folder)
  await mkdir(join(path, 'odd'), { recursive: true })
  for (const name of ['fresh', 'old']) await writeFile(join(path, name), 'half')
  const twoHoursAgo = Date.now() / 1_000 - 7_200
  await utimes(join(path, 'old'), twoHoursAgo, twoHoursAgo)
  return path
}

test('the remains of a crash are removed when the next server starts', async () => {
  const path = await leftBehind('own')
  const unfinished = openUnfinished(path, { isShared: false })
  expect(await readdir(path)).toEqual([])
  const names = [unfinished.newPath(), unfinished.newPath()].map((name) => basename(name))
  expect(new Set(names).size).toBe(2)
})

test('on a shared disk only old remains are removed', async () => {
  const path = await leftBehind('shared')
  openUnfinished(path, { isShared: true })
  expect((await readdir(path)).sort()).toEqual(['fresh', 'odd'])
})
