import { onLoadCore } from './processes.ts'

/** A load program on the load's core. It reports once when it is ready, then for each line on its standard input. */
export class ReportingChild<Report> {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #lines: AsyncIterator<string>

  constructor(program: string, words: readonly string[] = []) {
    const bun = [process.execPath, '--no-env-file', '--no-install', '--no-orphans']
    const command = [...onLoadCore, ...bun, program, ...words]
    this.#child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
    this.#lines = linesOf(this.#child.stdout)
  }

  async report(): Promise<Report> {
    this.#child.stdin.write('report\n')
    await this.#child.stdin.flush()
    return this.next()
  }

  async leave(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }

  async next(): Promise<Report> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('a program of the load is gone')
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
