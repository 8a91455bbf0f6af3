import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NODE, newClone, spawnIn } from './bare-clone.ts'

test('npm start in a new clone names a registry that cannot be reached, and ends within a minute', async () => {
  const clone = await newClone()
  const closed = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const registry = `http://127.0.0.1:${closed.port}`
  closed.stop(true)
  const env = {
    PATH: process.env['PATH'] ?? '',
    npm_config_registry: registry,
    npm_config_cache: join(clone, 'cache'),
  }
  const child = spawnIn(clone, [NODE, 'scripts/start.mjs'], env)
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  expect([code, stderr]).toEqual([1, expect.stringContaining(registry)])
  expect(stderr).toEndWith('tossup: npm ci failed with exit code 1\n')
  await rm(clone, { recursive: true, force: true })
}, 60_000)
