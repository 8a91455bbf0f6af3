import { expect, test } from 'bun:test'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takingThreads } from './full-pool.ts'

const LAUNCHER = join(import.meta.dir, '../../scripts/run-main.mjs')

interface Sync {
  readonly env?: Record<string, string>
  /** A sync that gets a thread may still be slow, because the disk is busy. */
  readonly withinMs?: number
}

/** The outcome of a file sync in a process of our launcher while `threads` of its threads are taken. */
async function syncBeside(threads: number, { env = {}, withinMs = 2_000 }: Sync = {}): Promise<string> {
  const { script, remove } = takingThreads(threads)
  const file = join(tmpdir(), `tossup-sync-${crypto.randomUUID()}.mjs`)
  await writeFile(
    file,
    `${script}
    const { closeSync, fdatasync, openSync } = await import('node:fs')
    // Real time: nothing else says that a call waits for a thread.
    setTimeout(() => { console.log('waits'); process.exit() }, ${withinMs})
    fdatasync(openSync(import.meta.filename, 'r+'), () => { console.log('done'); process.exit() })`,
  )
  const { PATH = '', HOME = '' } = process.env
  const launch = `const { runMain } = await import(${JSON.stringify(LAUNCHER)})
    await runMain(${JSON.stringify(process.execPath)}, [${JSON.stringify(file)}])`
  const child = Bun.spawn(['node', '--input-type=module', '--eval', launch], { env: { PATH, HOME, ...env } })
  const said = await child.stdout.text()
  remove()
  await rm(file)
  return said.trim()
}

test('a start from a checkout has sixteen threads for waiting, unless the environment says otherwise', async () => {
  const few = { UV_THREADPOOL_SIZE: '3' }
  const said = [syncBeside(15, { withinMs: 30_000 }), syncBeside(16), syncBeside(3, { env: few })]
  expect(await Promise.all(said)).toEqual(['done', 'waits', 'waits'])
})
