import { expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { findProgram } from './programs.ts'

const root = new URL('../..', import.meta.url).pathname

/** The block of README that is to be pasted, with our port instead of the default. */
async function tour(port: number): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')
  expect(blocks).toHaveLength(1)
  return (blocks[0] ?? '').replaceAll(':3000', `:${port}`)
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('X-API-Key-Secret')) return text
  }
  return text
}

test.if(findProgram('curl') !== null)(
  'npm start shows the demo, and the tour of the README works as pasted',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tossup-tour-'))
    const port = freePort()
    const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir }
    const server = Bun.spawn(['npm', 'start'], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    try {
      expect(await firstLine(server.stdout)).toContain(`Tossup is running at http://127.0.0.1:${port}`)
      const script = `set -eu\n${await tour(port)}`
      const shell = Bun.spawn(['bash', '-c', script], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
      const answers = (await new Response(shell.stdout).text()).trim().split('\n')
      expect(await new Response(shell.stderr).text()).toBe('')
      expect(await shell.exited).toBe(0)
      const [feed, vote, tallies, created, own] = answers.map((line) => JSON.parse(line).data)
      expect(feed).toHaveLength(2)
      expect(vote).toMatchObject({ option: 'A', tallies: { optionA: 23, optionB: 37, total: 60 } })
      expect(tallies.tallies).toEqual(vote.tallies)
      expect(created).toMatchObject({ title: 'Ship it?', status: 'open' })
      expect(own).toEqual([created])
    } finally {
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
      await rm(dataDir, { recursive: true, force: true })
    }
  },
  60_000,
)
