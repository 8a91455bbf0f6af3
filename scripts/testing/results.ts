// The result of each test file, from the report and the output of one `bun test`.

export interface Result {
  readonly file: string
  readonly output: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

interface Ended {
  /** JUnit's XML; empty if the process was killed. */
  readonly report: string
  readonly code: number
  readonly outputs: ReadonlyMap<string, string>
}

/** A failure outside of a test (a crash, a file that does not load, a file without a test) counts as one failure. */
export function resultsOf(files: readonly string[], { report, code, outputs }: Ended): Result[] {
  const suites = [...report.matchAll(/<testsuite [^>]*>/g)].map(([head]) => head)
  const results = files.map((file) => {
    const head = suites.find((suite) => attribute(suite, 'name') === file) ?? ''
    const output = outputs.get(file) ?? ''
    const number = (name: string) => Number(attribute(head, name) ?? 0)
    const [total, failures, skipped] = [number('tests'), number('failures'), number('skipped')]
    const isBroken = total === 0 || /^# Unhandled error/m.test(output)
    const failed = isBroken ? Math.max(failures, 1) : failures
    return { file, output, seconds: number('time'), passed: total - failures - skipped, failed, skipped }
  })
  const all = [...outputs.values()].join('')
  // A name pattern may match nothing in a file.
  const isExplained = results.some(({ failed }) => failed > 0) || /regex .* matched 0 tests/.test(all)
  if (code === 0 || isExplained) return results
  const output = `bun test ended with ${code}\n${outputs.get('') ?? ''}`
  return [...results, { file: 'bun test', output, seconds: 0, passed: 0, failed: 1, skipped: 0 }]
}

const attribute = (head: string, name: string): string | undefined => head.match(new RegExp(` ${name}="([^"]*)"`))?.[1]

/** Divides what `bun test` prints into files: it writes the name of a file above the lines of that file. */
export class Outputs {
  readonly ofFile = new Map<string, string>()
  readonly #onFile: (file: string) => void
  #current = ''
  #rest = ''

  /** `onFile` is called when a file first prints. */
  constructor(onFile: (file: string) => void) {
    this.#onFile = onFile
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const name = /^(?:::group::)?(\S+\.(?:test|proof)\.tsx?):(?: \(run #\d+\))?$/.exec(Bun.stripANSI(line))?.[1]
      if (name && !this.ofFile.has(name)) this.#onFile(name)
      this.#current = name ?? this.#current
      // The summary of the run follows the last file.
      if (/^\d+ tests (?:failed|skipped):$/.test(line)) this.#current = ''
      this.ofFile.set(this.#current, `${this.ofFile.get(this.#current) ?? ''}${name ? '' : `${line}\n`}`)
    }
  }
}
