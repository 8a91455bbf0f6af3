import { type FieldProblem, invalidField } from '../../../base/errors.ts'
import type { IsolatedWork, Isolation } from '../../../base/isolation/isolated-work.ts'
import { JobKilled } from '../../../base/isolation/job.ts'
import type { Checked } from '../../../http/validate.ts'
import type { CssProblem, TextPosition } from './css/problems.ts'
import type { ReadStylesheet } from './css/read-css.ts'
import { PRINTED_BY } from './stylesheet-url.ts'

/** 48 KiB take 0.1 s at most: a stylesheet that takes this long found a way that we do not know. */
const CPU_MS = 2_000
const MEMORY_BYTES = 300 * 1024 ** 2
/** Waiting and reading together end before the request does, after 9.5 s. */
const WITHIN_MS = 8_000
const TOO_COSTLY = 'The stylesheet takes too much time or memory to read: write it shorter.'

/** Where one place breaks two rules, only the first problem is reported. */
const isFirstOfPlace = ({ line, column }: TextPosition, index: number, all: readonly TextPosition[]): boolean =>
  all.findIndex((other) => other.line === line && other.column === column) === index

const describe = ({ rule, message, line, column }: CssProblem): FieldProblem => ({
  path: 'customCss',
  code: rule,
  message: `Line ${line}, column ${column}: ${message}`,
  line,
  column,
})

/** Reads stylesheets of brands in a process that can be killed. */
export class StylesheetReader {
  readonly #work: IsolatedWork<string, ReadStylesheet>

  constructor(isolation: Isolation) {
    this.#work = isolation.open({
      name: 'stylesheets',
      entry: new URL('./css/stylesheet-process.ts', import.meta.url),
      cpuMs: CPU_MS,
      memoryBytes: MEMORY_BYTES,
    })
  }

  /** `customCss` of a body that nothing has checked yet, as it is served; null where there is none. */
  async print(rawBody: unknown): Promise<Checked<string | null>> {
    const css = rawBody instanceof Object && 'customCss' in rawBody ? rawBody.customCss : null
    if (typeof css !== 'string') return { value: null, problems: [] }
    const read = await this.#read(css)
    if (!read) throw invalidField('customCss', 'css_cost', TOO_COSTLY)
    return { value: read.printed, problems: read.problems.filter(isFirstOfPlace).map(describe) }
  }

  /** Prints the parts that today's rules allow of a stylesheet that earlier ones accepted. */
  async printAllowed(source: string): Promise<string> {
    return (await this.#read(source))?.printed ?? PRINTED_BY
  }

  /** Null if that takes too much time or memory. */
  async #read(css: string): Promise<ReadStylesheet | null> {
    try {
      return await this.#work.run(css, { withinMs: WITHIN_MS })
    } catch (error) {
      if (error instanceof JobKilled) return null
      throw error
    }
  }
}
