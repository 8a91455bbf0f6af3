import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NODE, newClone, spawnIn } from './bare-clone.ts'
import { eventually } from './eventually.ts'

test('npm start in a new clone names a registry that cannot be reached at once, while npm still tries', async () => {
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
  let stderr = ''
  const reading = (async () => {
    for await (const bytes of child.stderr) stderr += Buffer.from(bytes).toString('utf8')
  })()
  // Npm itself starts and asks once first.
  await eventually(() => stderr.includes('cannot reach'), { withinMs: 50_000 })
  expect(child.exitCode).toBe(null)
  // On a busy machine npm is slow to ask, and this is said every few seconds until then.
  const said = stderr.replaceAll('Still installing: npm has had no answer from its registry yet\n', '')
  expect(said).toBe(`Installing…\nnpm cannot reach ${registry} (ECONNREFUSED): it tries again, for some seconds\n`)
  child.kill('SIGTERM')
  await Promise.all([reading, child.exited])
  await rm(clone, { recursive: true, force: true })
}, 60_000)
