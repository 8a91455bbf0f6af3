import { onLoadCore } from '../processes.ts'
import type { CrowdReport } from './listener-crowd.ts'

const CROWD = new URL('listener-crowd.ts', import.meta.url).pathname

/** Listeners in a separate process. Bun raises its own limit of open files as far as the machine allows. */
export class Crowd {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #lines: AsyncIterator<string>

  private constructor(words: readonly string[]) {
    const bun = [process.execPath, '--no-env-file', '--no-install', '--no-orphans']
    this.#child = Bun.spawn([...onLoadCore, ...bun, CROWD, ...words], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    this.#lines = linesOf(this.#child.stdout)
  }

  /** Resolves when every listener has received the current tallies. */
  static async gather(url: string, count: number, paths: readonly string[]): Promise<Crowd> {
    const crowd = new Crowd([url, String(count), ...paths])
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

/** The number of listeners whose last event was not the true tally. */
export function misled({ totals }: CrowdReport, truth: ReadonlyMap<string, number>): number {
  let wrong = 0
  for (const [path, told] of Object.entries(totals)) {
    for (const [total, listeners] of Object.entries(told)) {
      if (total !== String(truth.get(path))) wrong += listeners
    }
  }
  return wrong
}
