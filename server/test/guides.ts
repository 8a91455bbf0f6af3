import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { newPlace, serve } from './command.ts'
import { findProgram } from './programs.ts'

const root = new URL('../..', import.meta.url).pathname

const shellOf = async (file: string): Promise<string> => {
  const text = await readFile(join(root, file), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
}

/**
 * Stands for `npm`. The first command of a guide goes through npm, as a reader's does; the others start the same sources
 * without npm and Node, which take more than half of the processor time of a command.
 */
const NPM_ONCE = `#!/bin/sh
if [ -e "$0.used" ] && [ "$1 $2 $3" = 'run tossup --' ]; then
  shift 3
  cd '${root}' && exec '${process.execPath}' --no-env-file --no-install server/src/main.ts "$@"
fi
: > "$0.used"
exec '${Bun.which('npm')}' "$@"
`

/** The PATH of a guide's shell. */
async function pathIn(folder: string): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, 'npm'), NPM_ONCE, { mode: 0o755 })
  return folder + delimiter + process.env['PATH']
}

/** The commands of the guides call it. */
export const hasCurl = findProgram('curl') !== null

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
    const PATH = await pathIn(join(place.dataDir, 'commands'))
    const env = { ...process.env, NODE_ENV: 'production', ...place.settings, PATH }
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
