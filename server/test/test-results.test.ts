import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Result {
  readonly file: string
  readonly output: string
  readonly code: number
  readonly seconds: number
  readonly processor: number | null
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

type Process = Pick<Result, 'output' | 'code' | 'seconds' | 'processor'> & { readonly report: string }

const { resultsOf } = (await import(join(import.meta.dir, '../../scripts/test-results.mjs'))) as {
  resultsOf(files: readonly string[], ended: Process): Result[]
}

const GREEN = `import { test } from 'bun:test'
test('one', () => undefined)
test('two', () => undefined)
test.skip('three', () => undefined)`
const RED = `import { expect, test } from 'bun:test'
test('one', () => undefined)
test('wrong', () => expect(1).toBe(2))`
const UNLOADABLE = `throw new Error('it does not load')`
const BROKEN_AFTERWARDS = `import { afterAll, test } from 'bun:test'
afterAll(() => { throw new Error('it does not end') })
test('one', () => undefined)`
const DYING = `import { test } from 'bun:test'
test('one', () => process.kill(process.pid, 'SIGKILL'))`

/** Runs these texts as test files in one process, as a batch of the run. */
async function runTogether(texts: Record<string, string>, flags: readonly string[] = []): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-batch-'))
  try {
    const files = Object.keys(texts)
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text)
    const reporter = ['--reporter=junit', '--reporter-outfile=report.xml']
    const child = Bun.spawn([process.execPath, 'test', ...reporter, ...flags, ...files.map((file) => `./${file}`)], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const report = Bun.file(join(folder, 'report.xml'))
    const ended = { code, output: stdout + stderr, seconds: 4, processor: 2 }
    return resultsOf(files, { ...ended, report: (await report.exists()) ? await report.text() : '' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const counts = (results: readonly Result[]) =>
  results.map(({ file, passed, failed, skipped }) => `${file} ${passed} ${failed} ${skipped}`)

test('each file of a batch gets its own counts, its own output and its share of the time', async () => {
  const results = await runTogether({ 'a.test.ts': GREEN, 'b.test.ts': RED, 'c.test.ts': GREEN })
  expect(counts(results)).toEqual(['a.test.ts 2 0 1', 'b.test.ts 1 1 0', 'c.test.ts 2 0 1'])
  expect(results.map(({ output }) => output.includes('(fail) wrong'))).toEqual([false, true, false])
  expect(results.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(4)
  expect(results.reduce((sum, { processor }) => sum + (processor ?? 0), 0)).toBeCloseTo(2)
})

test('in a batch a file that does not load, one without tests, and an error outside of a test are failures', async () => {
  const texts = { 'a.test.ts': UNLOADABLE, 'b.test.ts': '', 'c.test.ts': BROKEN_AFTERWARDS, 'd.test.ts': GREEN }
  expect(counts(await runTogether(texts))).toEqual([
    'a.test.ts 0 1 0',
    'b.test.ts 0 1 0',
    'c.test.ts 1 1 0',
    'd.test.ts 2 0 1',
  ])
})

test('a process that dies fails every file of its batch', async () => {
  const results = await runTogether({ 'a.test.ts': GREEN, 'b.test.ts': DYING, 'c.test.ts': GREEN })
  expect(results.map(({ failed }) => failed)).toEqual([1, 1, 1])
})

test('a file by itself fails if its process does, and passes if no name in it matches the pattern', async () => {
  expect(counts(await runTogether({ 'a.test.ts': GREEN }))).toEqual(['a.test.ts 2 0 1'])
  expect(counts(await runTogether({ 'a.test.ts': BROKEN_AFTERWARDS }))).toEqual(['a.test.ts 1 1 0'])
  expect(counts(await runTogether({ 'a.test.ts': '' }))).toEqual(['a.test.ts 0 1 0'])
  expect(counts(await runTogether({ 'a.test.ts': GREEN }, ['-t', 'no such name']))).toEqual(['a.test.ts 0 0 3'])
})
