import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { freePort } from './free-port.ts'

const START_WITHIN_MS = 10_000

export const hasRedis = Bun.which('redis-server') !== null

/** A separate Redis in a temporary folder, whose processor time is that of one load alone. */
export class OwnRedis {
  readonly url: string
  readonly #folder: string
  readonly #server: Bun.Subprocess

  private constructor(port: number, folder: string) {
    this.url = `redis://127.0.0.1:${port}`
    this.#folder = folder
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    this.#server = Bun.spawn(['redis-server', ...settings], { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  }

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(freePort(), await mkdtemp(join(tmpdir(), 'tossup-redis-')))
    const deadline = performance.now() + START_WITHIN_MS
    while (performance.now() < deadline) {
      if (await redis.commands().catch(() => null)) return redis
      // Real time: another process starts.
      await Bun.sleep(20)
    }
    await redis.remove()
    throw new Error('redis-server did not start')
  }

  get pid(): number {
    return this.#server.pid
  }

  /** All commands so far, those inside of scripts included. */
  async commands(): Promise<number> {
    const client = new RedisClient(this.url, { connectionTimeout: 1_000, autoReconnect: false })
    try {
      await client.connect()
      return callsOf(String(await client.send('INFO', ['commandstats'])))
    } finally {
      client.close()
    }
  }

  async remove(): Promise<void> {
    this.#server.kill()
    await this.#server.exited
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The sum of the calls of all commands. */
export const callsOf = (commandstats: string): number =>
  commandstats.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm).reduce((sum, [, calls]) => sum + Number(calls), 0)
