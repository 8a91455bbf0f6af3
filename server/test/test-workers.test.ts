import { expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

const { runBeside } = (await import(join(import.meta.dir, '../../scripts/test-workers.mjs'))) as {
  runBeside<File>(files: readonly File[], work: (file: File) => Promise<void>): Promise<void>
}

const cores = availableParallelism()

test.if(process.env['TEST_WORKERS'] === undefined)(
  'one test file per core starts at once, at most three per core run, and each runs once in order',
  async () => {
    const files = Array.from({ length: 5 * cores }, (_, i) => i)
    const ends: PromiseWithResolvers<void>[] = []
    const started: number[] = []
    const all = runBeside(files, (file) => {
      started.push(file)
      const end = Promise.withResolvers<void>()
      ends.push(end)
      return end.promise
    })
    expect(started).toEqual(files.slice(0, cores))
    for (let ended = 0; ended < files.length; ended++) {
      await eventually(() => ends.length > ended)
      expect(started.length - ended).toBeLessThanOrEqual(3 * cores)
      ends[ended]?.resolve()
    }
    await all
    expect(started).toEqual(files)
  },
)

test('a file that cannot be run fails the run', async () => {
  expect(await runBeside(['a file'], () => Promise.reject(new Error('no such file'))).catch(String)).toBe(
    'Error: no such file',
  )
})
