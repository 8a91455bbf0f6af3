import { newPlace, type Place, type Settings, spawnTossup } from './command.ts'
import { eventually } from './eventually.ts'

/** Several processes start one after the other. */
export const SOON = { withinMs: 50_000 }

const LIMITS_OFF = { VOTES_PER_MINUTE: '1000000', NETWORK_VOTES_PER_MINUTE: '0', NETWORK_BRAND_VOTES_PER_MINUTE: '0' }

interface Line {
  readonly level: string
  readonly msg: string
  readonly worker?: number
  readonly pid?: number
  readonly pids?: number[]
}

/** `serve` with options, and its log as it is written. */
export class LoggedServer {
  readonly lines: Line[] = []
  readonly #child: ReturnType<typeof spawnTossup>
  readonly #read: Promise<unknown>
  #stdout = ''

  constructor(words: readonly string[], settings: Settings) {
    this.#child = spawnTossup(['serve', '--json', ...words], { PORT: '0', ...LIMITS_OFF, ...settings })
    this.#read = Promise.all([this.#readOutput(), this.#readLog()])
  }

  async url(): Promise<string> {
    const line = await eventually(() => /^.*\n/.exec(this.#stdout)?.[0], { ...SOON, seen: () => this.lines })
    return JSON.parse(line).url
  }

  kill(signal: 'SIGTERM' | 'SIGUSR2' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  get pid(): number {
    return this.#child.pid
  }

  get workerPids(): number[] {
    return this.lines.flatMap(({ worker, pid }) => (worker === undefined || pid === undefined ? [] : [pid]))
  }

  async ended(): Promise<number> {
    const code = await this.#child.exited
    await this.#read
    return code
  }

  /** Waits for a line of the log. */
  said = (msg: string, times = 1): Promise<Line> =>
    eventually(
      () => {
        const found = this.lines.filter((line) => line.msg.startsWith(msg))
        return found.length >= times && found.at(-1)
      },
      { ...SOON, seen: () => this.lines.map((line) => line.msg) },
    )

  async #readOutput(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of this.#child.stdout) this.#stdout += decoder.decode(chunk, { stream: true })
  }

  async #readLog(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of this.#child.stderr) {
      const parts = (text + decoder.decode(chunk, { stream: true })).split('\n')
      text = parts.pop() ?? ''
      this.lines.push(...parts.map((line) => JSON.parse(line)))
    }
  }
}

/** The servers that a test starts on a new PostgreSQL database. */
export class LoggedServers {
  readonly #place: Place
  readonly #started: LoggedServer[] = []

  private constructor(place: Place) {
    this.#place = place
  }

  static async open(): Promise<LoggedServers> {
    return new LoggedServers(await newPlace('postgres'))
  }

  get settings(): Settings {
    return this.#place.settings
  }

  start(words: readonly string[], settings: Settings = {}): LoggedServer {
    const server = new LoggedServer(words, { ...this.settings, ...settings })
    this.#started.push(server)
    return server
  }

  async clear(): Promise<void> {
    for (const server of this.#started) {
      server.kill('SIGKILL')
      await server.ended()
    }
    await this.#place.clear()
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
