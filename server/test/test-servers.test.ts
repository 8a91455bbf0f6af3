import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import oneServer from './needs-one-server.json' with { type: 'json' }

interface Given {
  readonly servers: string | undefined
  readonly list: readonly { readonly file: string; readonly title?: string }[]
}

const root = join(import.meta.dir, '../..')
const { flagsForServers } = (await import(join(root, 'scripts/test-servers.mjs'))) as {
  flagsForServers(file: string, flags: readonly string[], given: Given): readonly string[]
}

const file = 'server/test/votes.test.ts'
const list = [{ file, title: 'one (of two)?' }, { file: 'server/test/stop.test.ts' }]

const patternOf = (flags: readonly string[]): RegExp => {
  const [pattern = ''] = flagsForServers(file, flags, { servers: '2', list }).slice(-1)
  return new RegExp(pattern)
}

test('on two servers the listed tests are left out, and a pattern that was given holds for the others', () => {
  expect(patternOf([]).test('postgres: one (of two)? works')).toBe(false)
  expect(patternOf([]).test('postgres: another works')).toBe(true)
  const flags = ['--bail', '-t', '^postgres:']
  expect(patternOf(flags).test('postgres: one (of two)? works')).toBe(false)
  expect(patternOf(flags).test('postgres: another works')).toBe(true)
  expect(patternOf(flags).test('sqlite: another works')).toBe(false)
  expect(flagsForServers(file, flags, { servers: '2', list }).slice(0, 2)).toEqual(['--bail', '-t'])
})

test('elsewhere the flags are those that were given', () => {
  expect(flagsForServers(file, ['-t', 'x'], { servers: undefined, list })).toEqual(['-t', 'x'])
  expect(flagsForServers('server/test/feed.test.ts', [], { servers: '2', list })).toEqual([])
  expect(flagsForServers('server/test/stop.test.ts', [], { servers: '2', list })).toEqual([])
})

test('each listed file is there, and has a reason', () => {
  for (const entry of oneServer) {
    expect(existsSync(join(root, entry.file))).toBe(true)
    expect(entry.reason).not.toBe('')
  }
})
