import { expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

const { runBeside } = (await import(join(import.meta.dir, '../../scripts/test-workers.mjs'))) as {
  runBeside<File>(
    files: readonly File[],
    work: (file: File) => Promise<void>,
    limits?: { room: number; needs: (file: File) => number },
  ): Promise<void>
}

const wanted = process.env['TEST_WORKERS']
const setWorkers = (workers: string | undefined) => {
  if (workers === undefined) delete process.env['TEST_WORKERS']
  else process.env['TEST_WORKERS'] = workers
}

const cores = availableParallelism()

test.if(process.env['TEST_WORKERS'] === undefined)(
  'one test file per core starts at once, at most four per core run, and each runs once in order',
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
      expect(started.length - ended).toBeLessThanOrEqual(4 * cores)
      ends[ended]?.resolve()
    }
    await all
    expect(started).toEqual(files)
  },
)

test('a file that needs more connections than are left waits, and those behind it that need fewer do not', async () => {
  setWorkers('3')
  const needs: Record<string, number> = { large: 80, larger: 90, none: 0, small: 10, huge: 1_000 }
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const started: string[] = []
  const all = runBeside(
    Object.keys(needs),
    (file) => {
      started.push(file)
      const end = Promise.withResolvers<void>()
      ends.set(file, end)
      return end.promise
    },
    { room: 90, needs: (file) => needs[file] ?? 0 },
  )
  setWorkers(wanted)
  const end = (file: string) => eventually(() => ends.get(file)).then((one) => one.resolve())
  await eventually(() => started.includes('small'))
  expect(started).toEqual(['large', 'none', 'small'])
  await end('none')
  await end('small')
  await end('large')
  await end('larger')
  // More than there is room for: alone.
  await end('huge')
  await all
  expect(started).toEqual(['large', 'none', 'small', 'larger', 'huge'])
})

test('a file that cannot be run fails the run', async () => {
  expect(await runBeside(['a file'], () => Promise.reject(new Error('no such file'))).catch(String)).toBe(
    'Error: no such file',
  )
})
