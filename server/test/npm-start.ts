import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './documents.ts'

/** The service as a newcomer starts it, with a data folder of its own. */
export class NpmStart {
  readonly #server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  readonly #dataDir: string

  private constructor(server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>, dataDir: string) {
    this.#server = server
    this.#dataDir = dataDir
  }

  static async open(settings: Readonly<Record<string, string>>): Promise<NpmStart> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tossup-npm-start-'))
    const env = { ...process.env, ...settings, DATA_DIR: dataDir }
    const server = Bun.spawn(['npm', 'start'], { cwd: ROOT, env, stdout: 'pipe', stderr: 'inherit' })
    return new NpmStart(server, dataDir)
  }

  /** Signs in once, as the owner of the demo brand. Printed once, when the service answers. */
  link = (): Promise<string> => untilPrinted(this.#server.stdout, /http:\S+\/console\/join#tsl_[\w-]{43}(?=\s)/)

  async stop(): Promise<void> {
    this.#server.kill('SIGTERM')
    await this.#server.exited
    await rm(this.#dataDir, { recursive: true, force: true })
  }
}

async function untilPrinted(stream: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    const found = wanted.exec(text)?.[0]
    if (found) return found
  }
  throw new Error(`npm start did not print ${wanted}: ${text}`)
}
