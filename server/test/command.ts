import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_PART } from '../src/base/own-program.ts'
import type { EngineName } from './engines.ts'
import { ADMIN_URL, createDatabase } from './own-database.ts'

/** The one-file build of these sources, which starts in a third of the time. Runs of a few files start the sources themselves. */
const BUILT_TOSSUP = process.env['TEST_TOSSUP']
const MAIN = new URL('../src/main.ts', import.meta.url).pathname
const HASTY_SERVER = new URL('hasty-server.ts', import.meta.url).pathname
export const TEST_SECRET = 'a secret for the tests that is long enough'

export type Settings = Record<string, string>

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `tossup …` in a separate process, with only the given environment variables. */
export const tossupCommand = (words: readonly string[]): string[] =>
  BUILT_TOSSUP ? [BUILT_TOSSUP, ...words] : [process.execPath, '--no-env-file', '--no-install', MAIN, ...words]

/** Starts the hasty server, which the build contains (`built-main.ts`). */
export const hastyCommand = (): string[] =>
  BUILT_TOSSUP
    ? [BUILT_TOSSUP, RUN_PART, 'hasty-server.ts']
    : [process.execPath, '--no-env-file', '--no-install', HASTY_SERVER]

export function spawnTossup(words: readonly string[], settings: Settings) {
  return Bun.spawn(tossupCommand(words), {
    // A small pool, as in `service.ts`.
    env: { PATH: process.env['PATH'] ?? '', DATABASE_POOL: '4', ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export async function tossup(words: readonly string[], settings: Settings): Promise<Ended> {
  const child = spawnTossup(words, settings)
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

/** Standard output, parsed as the single JSON object that `--json` promises. */
export async function tossupJson<Data = Record<string, unknown>>(words: readonly string[], settings: Settings) {
  const { code, stdout, stderr } = await tossup([...words, '--json'], settings)
  if (code !== 0) throw new Error(`tossup ${words.join(' ')} ended with ${code}: ${stderr}`)
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`not one JSON object alone: ${stdout}`)
  return JSON.parse(stdout) as Data
}

export interface Serving {
  readonly url: string
  /** The line that `serve --json` printed. */
  readonly said: { url: string; demo?: { brand: string; campaignId: string; apiKeyId: string; apiKeySecret: string } }
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void
  /** The complete output, once the process has ended. */
  readonly ended: Promise<Ended>
}

/** Starts `tossup serve` and waits for its URL. The process ends with the test's process at the latest. */
export async function serve(settings: Settings): Promise<Serving> {
  const child = spawnTossup(['serve', '--json'], { PORT: '0', ...settings })
  const stderr = child.stderr.text()
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let stdout = ''
  while (!stdout.includes('\n')) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`serve ended with ${await child.exited}: ${await stderr}`)
    stdout += decoder.decode(value)
  }
  const said = JSON.parse(stdout) as Serving['said']
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) stdout += decoder.decode(part.value)
    return stdout
  }
  const ended = Promise.all([rest(), stderr, child.exited]).then(([out, err, code]) => ({
    code,
    stdout: out,
    stderr: err,
  }))
  return { url: said.url, said, kill: (signal) => child.kill(signal), ended }
}

export interface Place {
  readonly dataDir: string
  readonly settings: Settings
  clear(): Promise<void>
}

/** An empty DATA_DIR and, for PostgreSQL, an empty database. */
export async function newPlace(engine: EngineName): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tossup-test-'))
  const database = engine === 'postgres' ? await createDatabase(ADMIN_URL, { mustBeEmpty: true }) : null
  return {
    dataDir,
    settings: { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url, SECRET_KEY: TEST_SECRET } : {}) },
    async clear() {
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
