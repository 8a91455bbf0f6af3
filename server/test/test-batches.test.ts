import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const { batchesOf } = (await import(join(ROOT, 'scripts/test-batches.mjs'))) as {
  batchesOf(files: readonly string[]): string[][]
}
const { chooseFiles, sampleEngineOf } = (await import(join(ROOT, 'scripts/test-files.mjs'))) as {
  chooseFiles(speeds: readonly string[], names: readonly string[]): string[]
  sampleEngineOf(speeds: readonly string[]): string | undefined
}

const script = readFileSync(join(ROOT, 'scripts/test-batches.mjs'), 'utf8')
const shortProofs: readonly string[] = script.match(/(?<=')\S+\.proof\.ts(?=')/g) ?? []
const files = chooseFiles(['test', 'proof'], [])
const batches = batchesOf(files)
const shared = batches.filter((batch) => batch.length > 1).flat()

test('each file of a whole run is in one process, which at most twenty files share, or five short proofs', () => {
  expect(batches.flat().sort()).toEqual(files.toSorted())
  expect(shared.length).toBeGreaterThan((files.length * 3) / 4)
  const most = Math.max(...batches.map((batch) => batch.length))
  expect([most > 15, most <= 20]).toEqual([true, true])
  const proofs = batches.filter((batch) => batch.some((file) => file.includes('.proof.')))
  expect(Math.max(...proofs.map((batch) => batch.length))).toBe(5)
  expect(proofs.flat().every((file) => file.includes('.proof.'))).toBe(true)
  expect(shortProofs.filter((file) => !proofs.some((batch) => batch.length > 1 && batch.includes(file)))).toEqual([])
})

test('long proofs, files that change or measure their process or say that they need it, have processes of their own', () => {
  const alone = shared.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const isLong = file.includes('.proof.') && !shortProofs.includes(file)
    return isLong || /\bspyOn\(|\bsetSystemTime\(|memoryUsage|\n\/\/ A process of its own: /.test(text)
  })
  expect(alone).toEqual([])
  // It mounts a disk with code of another file.
  expect(files.find((file) => file.endsWith('/readiness.test.ts'))).toBeDefined()
  expect(shared.find((file) => file.endsWith('/readiness.test.ts'))).toBeUndefined()
})

test('the files that take longest are not in one batch', () => {
  const [first, second] = batchesOf(shared).filter((batch) => batch.length > 1)
  expect([first?.[0], second?.[0]]).toEqual([shared[0], shared[1]])
})

test('tests whose subject is not the database run on one engine in `npm test` and on the other one as proofs, or once on both', () => {
  const sampled = 'server/test/access-matrix.test.ts'
  const runs = [['test'], ['proof'], ['test', 'proof']] as const
  expect(runs.map((speeds) => sampleEngineOf(speeds))).toEqual(['sqlite', 'postgres', undefined])
  for (const speeds of runs) expect(chooseFiles(speeds, []).filter((file) => file === sampled)).toEqual([sampled])
})
