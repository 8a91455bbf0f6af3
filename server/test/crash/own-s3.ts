import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstLine } from '../child-service.ts'
import { freePort } from '../free-port.ts'

const PROGRAM = new URL('s3-process.ts', import.meta.url).pathname

/** A bucket of its own, in a process that tests can kill and pause. */
export class OwnS3 {
  readonly #folder: string
  readonly #port = freePort()
  #process: Bun.Subprocess | null = null
  #url = ''

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async create(): Promise<OwnS3> {
    return new OwnS3(await mkdtemp(join(tmpdir(), 'tossup-s3-')))
  }

  /** The value of `S3_URL`. */
  get url(): string {
    return this.#url
  }

  /** With all objects that it had before. */
  async start(): Promise<void> {
    const words = [PROGRAM, this.#folder, String(this.#port)]
    const command = [process.execPath, '--no-env-file', '--no-install', '--no-orphans', ...words]
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
    this.#process = child
    const line = await firstLine(child.stdout)
    if (line === null) throw new Error('the stand-in for S3 did not start')
    this.#url = String(JSON.parse(line).url)
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
    this.#process = null
  }

  /** Connections stay open, the kernel accepts new ones, and nothing answers. */
  freeze = async (): Promise<void> => void this.#process?.kill('SIGSTOP')

  thaw = async (): Promise<void> => void this.#process?.kill('SIGCONT')

  async remove(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
