import type { CrowdReport } from './listener-crowd.ts'
import { onLoadCore } from './processes.ts'

const CROWD = new URL('listener-crowd.ts', import.meta.url).pathname

/** Listeners in a process of their own. Bun raises its limit of open files by itself, as far as the machine lets it. */
export class Crowd {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #lines: AsyncIterator<string>

  private constructor(child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.#child = child
    this.#lines = linesOf(child.stdout)
  }

  /** Resolves when everybody has been told the present state. */
  static async gather(url: string, count: number, paths: readonly string[]): Promise<Crowd> {
    const bun = [process.execPath, '--no-env-file', '--no-install', '--no-orphans']
    const command = [...bun, CROWD, url, String(count), ...paths]
    const child = Bun.spawn([...onLoadCore, ...command], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
    const crowd = new Crowd(child)
    const first = await crowd.#next()
    if (first.open === count && first.refused === 0) return crowd
    await crowd.leave()
    throw new Error(`of ${count} listeners ${first.open} are connected and ${first.refused} were refused`)
  }

  async report(): Promise<CrowdReport> {
    this.#child.stdin.write('report\n')
    await this.#child.stdin.flush()
    return this.#next()
  }

  async leave(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }

  async #next(): Promise<CrowdReport> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the listeners are gone')
    return JSON.parse(value)
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let unread = ''
  for await (const chunk of stream) {
    const lines = (unread + decoder.decode(chunk, { stream: true })).split('\n')
    unread = lines.pop() ?? ''
    yield* lines
  }
}

/** How many were last told something else than the truth. */
export function misled({ totals }: CrowdReport, truth: ReadonlyMap<string, number>): number {
  let wrong = 0
  for (const [path, told] of Object.entries(totals)) {
    for (const [total, listeners] of Object.entries(told)) {
      if (total !== String(truth.get(path))) wrong += listeners
    }
  }
  return wrong
}
