import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to idempotency works as pasted',
  async () => {
    const [nuts, dip, sameNuts, sameDip, refused, newest, ...more] = await followGuide('idempotency.md')
    expect([sameNuts, sameDip]).toEqual([nuts, dip])
    expect(new Set([nuts, dip]).size).toBe(2)
    expect(refused).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(newest).toStartWith('Dip or no dip?,Nuts or crisps?,')
    expect(newest?.match(/Nuts or crisps\?/g)).toHaveLength(1)
    expect(more).toEqual([])
  },
  120_000,
)

test.if(hasCurl)(
  'the helper for shell scripts repeats a request after 503 with the same key, and prints the last answer alone',
  async () => {
    const guide = await readFile(join(import.meta.dir, '../../docs/guides/idempotency.md'), 'utf8')
    const helper = /^once\(\) \{\n[\s\S]*?\n\}$/m.exec(guide)?.[0]
    const keys: (string | null)[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        keys.push(request.headers.get('X-Service-Idempotency-Key'))
        const isLast = keys.length === 2
        return isLast ? new Response('made', { status: 201 }) : new Response('away', { status: 503 })
      },
    })
    const script = `set -eu\n${helper}\nonce row-number-1 POST polls '{}'`
    const env = { ...process.env, API: server.url.origin, JSON: 'Content-Type: application/json', TOKEN: 'any' }
    const shell = Bun.spawn(['bash', '-c', script], { env, stdout: 'pipe', stderr: 'pipe' })
    expect(await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])).toEqual(['made', '', 0])
    await server.stop(true)
    expect(keys).toEqual(['row-number-1', 'row-number-1'])
  },
  60_000,
)
