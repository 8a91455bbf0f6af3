import { expect, test } from 'bun:test'
import { join } from 'node:path'

const COMMAND = join(import.meta.dir, '../../scripts/tossup.mjs')

/** The options that Bun's allocator reports when the command runs. */
function optionsWith(env: Record<string, string>): string {
  const { PATH = '', HOME = '' } = process.env
  const started = Bun.spawnSync(['node', COMMAND, '--version'], { env: { PATH, HOME, MIMALLOC_VERBOSE: '1', ...env } })
  expect(started.exitCode).toBe(0)
  return String(started.stderr)
}

test('a start from a checkout keeps the gaps between used memory, unless the environment says otherwise', () => {
  expect(optionsWith({})).toContain("option 'purge_holes': 0 ")
  expect(optionsWith({ MIMALLOC_PURGE_HOLES: '1' })).toContain("option 'purge_holes': 1 ")
})
