import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  anewWithServices,
  chooseFiles,
  placeOf,
  sampleEngineOf,
  splitArguments,
  textOf,
} from '../../scripts/testing/files.ts'
import { oneServerFlags } from '../../scripts/testing/one-server.ts'
import { testPlace } from '../../scripts/testing/place.ts'
import { type Summary, summarize } from '../../scripts/testing/report.ts'
import oneServer from './needs-one-server.json' with { type: 'json' }

const GREEN = `import { test } from 'bun:test'
test('one', () => undefined)
test('two', () => undefined)
test.skip('three', () => undefined)`
const RED = `import { expect, test } from 'bun:test'
test('one', () => undefined)
test('1 < 2 & "wrong"', () => expect(1).toBe(2))`
const UNLOADABLE = `throw new Error('it does not load')`
const BROKEN_AFTERWARDS = `import { afterAll, test } from 'bun:test'
afterAll(() => { throw new Error('it does not end') })
test('one', () => undefined)`
const DYING = `import { test } from 'bun:test'
test('one', () => process.kill(process.pid, 'SIGKILL'))`

/** Runs these texts as the test files of a run. */
async function runTogether(texts: Record<string, string>, flags: readonly string[] = []): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-run-'))
  try {
    const files = Object.keys(texts)
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text)
    const told = ['--parallel=2', '--no-isolate', '--reporter=junit', '--reporter-outfile=report.xml', ...flags]
    const child = Bun.spawn([process.execPath, 'test', ...told, ...files.map((file) => `./${file}`)], {
      cwd: folder,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    const code = await child.exited
    const report = Bun.file(join(folder, 'report.xml'))
    const text = (await report.exists()) ? await report.text() : ''
    return summarize(files, { code, report: text, hasPattern: flags.length > 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const counts = ({ passed, skipped, failures }: Summary) => [
  passed,
  skipped,
  ...failures.map((text) => text.split('\n')[0]),
]

describe('the summary of a run', () => {
  test('counts what passed and was skipped, and names what failed with its cause', async () => {
    const summary = await runTogether({ 'a.test.ts': GREEN, 'b.test.ts': RED, 'c.test.ts': GREEN })
    expect(counts(summary)).toEqual([5, 2, 'b.test.ts: 1 < 2 & "wrong"'])
    const lines = [
      'b.test.ts: 1 < 2 & "wrong"',
      'AssertionError: expect(received).toBe(expected)',
      '',
      'Expected: 2',
      'Received: 1',
    ]
    expect(summary.failures).toEqual([lines.join('\n    ')])
    expect([...summary.seconds.keys()]).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts'])
    expect(summary.whole).toEqual([])
  })

  test('names the files of which every test passed', async () => {
    const texts = {
      'a.test.ts': GREEN.replace('.skip', ''),
      'b.test.ts': RED,
      'c.test.ts': GREEN,
      'd.test.ts': UNLOADABLE,
    }
    expect((await runTogether(texts)).whole).toEqual(['a.test.ts'])
  })

  test.each([
    ['a file that does not load', UNLOADABLE, 'no test of it ran'],
    ['a file without tests', '', 'no test of it ran'],
    ['a process that dies', DYING, '(worker crashed)'],
  ])('has a failure for %s, and the others run', async (_, text, failure) => {
    const summary = await runTogether({ 'a.test.ts': text, 'b.test.ts': GREEN, 'c.test.ts': GREEN })
    expect(counts(summary)).toEqual([4, 2, `a.test.ts: ${failure}`])
  })

  test('says of a test without end that its time was over, and little of a long message', async () => {
    const long = `import { test } from 'bun:test'
test('hangs', () => new Promise(() => undefined), 50)
test('long', () => { throw new Error('line\\n'.repeat(100)) })`
    const { failures } = await runTogether({ 'a.test.ts': long })
    expect(failures[0]).toBe('a.test.ts: hangs\n    test timed out')
    expect(failures[1]?.split('\n')).toHaveLength(17)
  })

  test('has a failure for an error outside of a test', async () => {
    const summary = await runTogether({ 'a.test.ts': BROKEN_AFTERWARDS, 'b.test.ts': GREEN })
    expect(counts(summary)).toEqual([3, 1, 'a.test.ts: (unnamed)'])
  })

  test('of a pattern that no name matches has no failure', async () => {
    expect(counts(await runTogether({ 'a.test.ts': GREEN }, ['-t', 'no such name']))).toEqual([0, 3])
  })

  test('has a failure for each file where the run was killed', () => {
    const summary = summarize(['a.test.ts', 'b.test.ts'], { report: '', code: 137, hasPattern: false })
    expect(counts(summary)).toEqual([0, 0, 'a.test.ts: no test of it ran', 'b.test.ts: no test of it ran'])
    const named = summarize(['a.test.ts'], { report: '', code: 137, hasPattern: true })
    expect(counts(named)).toEqual([0, 0, 'an error outside of a test: bun test ended with 137'])
  })
})

describe('the files of a run', () => {
  test('are the tests without arguments; a name, an option and a flag with its value are told apart', () => {
    expect(splitArguments([])).toEqual({ speeds: ['unit', 'service'], names: [], flags: [] })
    const split = splitArguments(['--all', 'votes', '-t', 'one', '--bail'])
    expect(split).toEqual({ speeds: ['unit', 'service', 'proof'], names: ['votes'], flags: ['-t', 'one', '--bail'] })
    expect(chooseFiles(['unit'], ['server/src/http/json.test.ts'])).toEqual(['server/src/http/json.test.ts'])
    expect(chooseFiles(['unit'], ['http/json'])).toEqual(['server/src/http/json.test.ts'])
  })

  test('whose subject is not the database run on one engine in `npm test`, on the other one as proofs, and once on both', () => {
    const runs = [['unit', 'service'], ['proof'], ['unit', 'service', 'proof']] as const
    expect(runs.map((speeds) => sampleEngineOf(speeds))).toEqual(['sqlite', 'postgres', undefined])
    const sampled = 'server/test/access-matrix.test.ts'
    for (const speeds of runs) expect(chooseFiles(speeds).filter((file) => file === sampled)).toEqual([sampled])
  })

  test('that passed without services run on PostgreSQL alone if they name the engines once, and again if they combine them', () => {
    expect(anewWithServices('server/src/http/json.test.ts')).toBe('nothing')
    for (const one of ['votes', 'access-matrix'])
      expect(anewWithServices(`server/test/${one}.test.ts`)).toBe('postgres')
    for (const combined of ['archive-directions', 'schema', 'vote-refunds'])
      expect(anewWithServices(`server/test/${combined}.test.ts`)).toBe('all')
    expect(anewWithServices('server/src/http/limits/limiter.test.ts')).toBe('all')
  })

  test('run alone, or in a process of their own, if they measure their process', () => {
    const measuring = /process\.(?:cpuUsage|memoryUsage)\b|\/proc\/self\b/
    const files = chooseFiles(['unit', 'service', 'proof'])
    const measured = files.filter((file) => measuring.test(textOf(file)) && !file.endsWith('/test-runs.test.ts'))
    expect(measured.length).toBeGreaterThan(2)
    expect(measured.filter((file) => placeOf(file) === 'together')).toEqual([])
  })
})

describe('the place of the files that tests write', () => {
  const here = import.meta.dir

  test('is TMPDIR, although there is room in memory', () => {
    expect(testPlace('/elsewhere', here, 0)).toBe('/elsewhere')
  })

  test.if(existsSync('/proc/mounts'))('is in memory if there is room, otherwise the temporary folder', () => {
    const place = (folder: string, bytes: number) => testPlace(null, folder, bytes)
    expect(place(here, 0)).toBe(here)
    expect(place(here, Number.POSITIVE_INFINITY)).toBe(tmpdir())
    expect(place(join(here, 'missing'), 0)).toBe(tmpdir())
  })
})

describe('a run on two servers', () => {
  const title = oneServer.find((entry) => entry.title)?.title ?? ''
  const patternOf = (flags: readonly string[]) => new RegExp(oneServerFlags(flags, '2').at(-1) ?? '')

  test('leaves out the listed tests, and a pattern that was given holds for the others', () => {
    expect(patternOf([]).test(`postgres: ${title}`)).toBe(false)
    expect(patternOf([]).test('postgres: another works')).toBe(true)
    const flags = ['--bail', '-t', '^postgres:']
    expect(patternOf(flags).test(`postgres: ${title}`)).toBe(false)
    expect(patternOf(flags).test('postgres: another works')).toBe(true)
    expect(patternOf(flags).test('sqlite: another works')).toBe(false)
    expect(oneServerFlags(flags, '2').slice(0, 2)).toEqual(['--bail', '-t'])
    expect(oneServerFlags(flags, undefined)).toEqual(flags)
  })

  test('has a reason for each listed file, which is there', () => {
    for (const entry of oneServer) {
      expect(existsSync(join(import.meta.dir, '../..', entry.file))).toBe(true)
      expect(entry.reason).not.toBe('')
    }
  })
})
