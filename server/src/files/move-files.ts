import { reasonOf } from '../base/errors.ts'
import type { ExpectedFile } from './file-keys.ts'
import { type FileStore, storeBytes, streamOf } from './file-store.ts'

const AT_ONCE = 4

export interface Moved {
  copied: number
  /** They were there from an earlier run, with the same content. */
  alreadyThere: number
  /** Neither store has them. */
  readonly missing: string[]
  readonly failed: { readonly key: string; readonly reason: string }[]
}

type Stores = Readonly<Record<'from' | 'to', FileStore>>

/** Copies files and compares their checksums. It can be repeated, writes nothing again, and removes nothing. */
export async function copyFiles({ from, to }: Stores, files: readonly ExpectedFile[]): Promise<Moved> {
  const moved: Moved = { copied: 0, alreadyThere: 0, missing: [], failed: [] }
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ({ key }) => {
        try {
          await copyFile({ from, to }, key, moved)
        } catch (error) {
          moved.failed.push({ key, reason: reasonOf(error) })
        }
      }),
    )
  }
  return moved
}

async function copyFile({ from, to }: Stores, key: string, moved: Moved): Promise<void> {
  const there = await sumOf(to, key)
  const source = await from.borrow(key)
  if (!source) {
    if (there === null) moved.missing.push(key)
    else moved.alreadyThere++
    return
  }
  try {
    const wanted = await sumOfStream(Bun.file(source.path).stream())
    if (there === wanted) {
      moved.alreadyThere++
      return
    }
    await storeBytes(to, key, Bun.file(source.path))
    if ((await sumOf(to, key)) !== wanted) throw new Error('what was written is not what is read')
    moved.copied++
  } finally {
    await source.giveBack()
  }
}

async function sumOf(store: FileStore, key: string): Promise<string | null> {
  const file = await store.read(key)
  return file && sumOfStream(streamOf(file))
}

async function sumOfStream(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}
