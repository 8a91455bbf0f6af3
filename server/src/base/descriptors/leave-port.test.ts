import { expect, test } from 'bun:test'
import { leavePort, shareWholePort } from './leave-port.ts'

const CONNECTIONS = 64

const serve = (name: string, port: number) =>
  Bun.serve({ hostname: '127.0.0.1', port, reusePort: true, fetch: () => new Response(name) })

/** The names of the servers that accepted some new connections. */
async function accepting(port: number): Promise<string[]> {
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`, { headers: { Connection: 'close' } })).text()
  const names = new Set<string>()
  for (let i = 0; i < CONNECTIONS; i++) names.add(await ask())
  return [...names].sort()
}

test.if(process.platform === 'linux')(
  'a socket that has left its port gets no new connection, until the port is shared again',
  async () => {
    const first = serve('first', 0)
    const port = first.port ?? 0
    const others = [serve('second', port), serve('third', port)]
    try {
      expect(leavePort(port, { index: 0, of: 3 })).toBe(true)
      expect(await accepting(port)).toEqual(['second', 'third'])
      expect(leavePort(port, { index: 1, of: 3 })).toBe(true)
      expect(await accepting(port)).toEqual(['first', 'third'])
      expect(leavePort(port, { index: 2, of: 3 })).toBe(true)
      expect(await accepting(port)).toEqual(['first', 'second'])
      expect(shareWholePort(port)).toBe(true)
      expect(await accepting(port)).toEqual(['first', 'second', 'third'])
      // As the kernel keeps them: the last one takes the place of the one that is closed.
      await first.stop(true)
      expect(leavePort(port, { index: 0, of: 2 })).toBe(true)
      expect(await accepting(port)).toEqual(['second'])
    } finally {
      for (const server of [first, ...others]) await server.stop(true)
    }
  },
)

/** The kernel reads the program at an address that nothing else keeps alive, and would refuse or run what is written there. */
const LEAVE_OFTEN = `
  const { leavePort } = await import('${import.meta.dir}/leave-port.ts')
  const serve = (port) => Bun.serve({ hostname: '127.0.0.1', port, reusePort: true, fetch: () => new Response('') })
  const { port } = serve(0)
  serve(port)
  let overwritten = []
  for (let i = 0; i < 6_000; i++) {
    overwritten = Array.from({ length: 50 }, () => new Uint8Array(40).fill(255))
    if (!leavePort(port, { index: i % 2, of: 2 })) throw new Error('not left')
  }
  process.exit(overwritten.length === 50 ? 0 : 1)`

test.if(process.platform === 'linux')('a port is left while memory is collected all the time', () => {
  const env = { BUN_JSC_collectContinuously: '1' }
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', LEAVE_OFTEN], { env })
  expect([exitCode, String(stderr)]).toEqual([0, ''])
})

test('a port that nobody else serves cannot be left, nor one that is not served', async () => {
  const server = serve('alone', 0)
  const port = server.port ?? 0
  expect(leavePort(port, { index: 0, of: 1 })).toBe(false)
  await server.stop(true)
  expect(leavePort(port, { index: 0, of: 2 })).toBe(false)
})
