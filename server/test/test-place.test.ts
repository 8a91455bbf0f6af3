import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Places {
  readonly wanted?: string
  readonly folder: string
  readonly bytes: number
}

const { testPlace } = (await import(join(import.meta.dir, '../../scripts/test-place.mjs'))) as {
  testPlace(places: Places): string
}

const here = import.meta.dir

test('tests keep their files where TMPDIR says, although there is room in memory', () => {
  expect(testPlace({ wanted: '/elsewhere', folder: here, bytes: 0 })).toBe('/elsewhere')
})

test.if(existsSync('/proc/mounts'))('without TMPDIR, tests keep their files in memory if there is room', () => {
  expect(testPlace({ folder: here, bytes: 0 })).toBe(here)
})

test('without TMPDIR and room in memory, or without such a folder, tests keep their files in the temporary folder', () => {
  expect(testPlace({ folder: here, bytes: Number.POSITIVE_INFINITY })).toBe(tmpdir())
  expect(testPlace({ folder: join(here, 'missing'), bytes: 0 })).toBe(tmpdir())
})
