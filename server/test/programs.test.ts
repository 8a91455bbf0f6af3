import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chooseFiles, ROOT } from '../../scripts/testing/files.ts'

/** Node brings them, or Debian requires them. */
const EVERYWHERE = new Set('bash nice node npm prlimit sh tar'.split(' '))
const STARTED = /Bun\.spawn(?:Sync)?\(\s*\[\s*'([\w-]+)', ?'/g
/** Ignores imports of types, which load nothing. */
const IMPORT = /^(?!import type ).*(?:from|import) '(\.[^']+)'/gm

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const isTestCode = (path: string) => /\.tsx?$/.test(path) && !/(^|\/)src\//.test(path) && existsSync(join(ROOT, path))

/** True if this pattern is in the file, or in the test code that it imports. */
function reaches(file: string, pattern: RegExp, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false
  seen.add(file)
  const text = textOf(file)
  if (pattern.test(text)) return true
  const imported = [...text.matchAll(IMPORT)].map(([, name = '']) => join(dirname(file), name))
  return imported.filter(isTestCode).some((path) => reaches(path, pattern, seen))
}

test('a test that starts a program looks whether it is there', () => {
  const all = chooseFiles(['unit', 'service', 'proof'])
  const sources = [...new Bun.Glob('{server,bench,embed,sdk,console}/{test,proof}/**/*.ts').scanSync(ROOT), ...all]
  const names = new Set(
    sources
      .flatMap((path) => [...textOf(path).matchAll(STARTED)])
      .map(([, name = '']) => name)
      .filter((name) => !EVERYWHERE.has(name)),
  )
  expect([...names]).toContain('git')
  const faults = [...names].flatMap((name) =>
    all
      .filter((file) => reaches(file, new RegExp(`\\(\\s*\\[\\s*'${name}', ?'`)))
      .filter((file) => !reaches(file, new RegExp(`(?:findProgram|which)\\('${name}'`)))
      .map((file) => `${file} starts ${name}`),
  )
  expect(faults).toEqual([])
})
