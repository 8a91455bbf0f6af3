import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const files: {
  chooseFiles(speeds: string[], names: string[]): string[]
  reaches(file: string, pattern: RegExp): boolean
} = await import(join(ROOT, 'scripts/test-files.mjs'))

/** Node brings them, or Debian requires them. */
const EVERYWHERE = new Set('bash nice node npm prlimit sh tar'.split(' '))
const STARTED = /Bun\.spawn(?:Sync)?\(\s*\[\s*'([\w-]+)', ?'/g

test('a test that starts a program looks whether it is there', () => {
  const all = files.chooseFiles(['test', 'proof'], [])
  const sources = [...new Bun.Glob('{server,bench,embed,sdk,console}/{test,proof}/**/*.ts').scanSync(ROOT), ...all]
  const names = new Set(
    sources
      .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(STARTED)])
      .map(([, name = '']) => name)
      .filter((name) => !EVERYWHERE.has(name)),
  )
  expect([...names]).toContain('git')
  const faults = [...names].flatMap((name) =>
    all
      .filter((file) => files.reaches(file, new RegExp(`\\(\\s*\\[\\s*'${name}', ?'`)))
      .filter((file) => !files.reaches(file, new RegExp(`(?:findProgram|which)\\('${name}'`)))
      .map((file) => `${file} starts ${name}`),
  )
  expect(faults).toEqual([])
})
