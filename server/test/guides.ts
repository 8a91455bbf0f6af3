import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newPlace, serve } from './command.ts'

const root = new URL('../..', import.meta.url).pathname

/** What the shell lines of a guide print, pasted one block after another against a server with the demo. */
export async function followGuide(name: string, settings: Record<string, string> = {}): Promise<string[]> {
  const text = await readFile(join(root, 'docs/guides', name), 'utf8')
  const lines = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
  const place = await newPlace('sqlite')
  const server = await serve({ ...place.settings, DEMO: 'true', ...settings })
  try {
    const script = `set -eu\n${lines.replaceAll('http://127.0.0.1:3000', server.url)}`
    const env = { ...process.env, ...place.settings }
    const shell = Bun.spawn(['bash', '-c', script], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    const [answers, complaints, code] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    if (code !== 0 || complaints !== '') throw new Error(`${name} ended with ${code}: ${complaints}${answers}`)
    return answers.replace(/\n$/, '').split('\n')
  } finally {
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
  }
}

export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}
