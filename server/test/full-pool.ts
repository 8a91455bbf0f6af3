import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A script that takes `threads` of the runtime's pool for as long as it runs: each opens a pipe that nobody writes to. */
export function takingThreads(threads: number): { script: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-pool-'))
  const pipes = Array.from({ length: threads }, (_, i) => join(folder, String(i)))
  if (!Bun.spawnSync(['mkfifo', ...pipes]).success) throw new Error('mkfifo failed')
  const script = `
    const { open } = await import('node:fs')
    for (const pipe of ${JSON.stringify(pipes)}) open(pipe, 'r', () => undefined)
    // Real time: the threads take the pipes.
    await Bun.sleep(200)`
  return { script, remove: () => rmSync(folder, { recursive: true }) }
}
