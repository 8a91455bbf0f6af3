import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newPlace, serve } from './command.ts'

const root = new URL('../..', import.meta.url).pathname

const shellOf = async (file: string): Promise<string> => {
  const text = await readFile(join(root, file), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
}

/**
 * The output of a guide's shell blocks, run one after another against a server with the demo. `earlier` is the document
 * in whose terminal the guide continues, and `folder` the place of the reader's own project.
 */
export async function followGuide(
  name: string,
  settings: Record<string, string> = {},
  { earlier, folder = root }: { earlier?: string; folder?: string } = {},
): Promise<string[]> {
  const lines = `${earlier ? await shellOf(earlier) : ''}\n${await shellOf(join('docs/guides', name))}`
  const place = await newPlace('sqlite')
  const server = await serve({ ...place.settings, DEMO: 'true', ...settings })
  try {
    const own = lines
      .replaceAll('http://127.0.0.1:3000', server.url)
      .replaceAll('http://127.0.0.1:9464', `http://127.0.0.1:${settings['METRICS_PORT']}`)
    const script = `set -eu\n${own}`
    const env = { ...process.env, ...place.settings }
    const shell = Bun.spawn(['bash', '-c', script], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
    const [answers, complaints, code] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    if (code !== 0 || complaints !== '') throw new Error(`${name} ended with ${code}: ${complaints}${answers}`)
    return answers.replace(/\n$/, '').split('\n')
  } finally {
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
  }
}
