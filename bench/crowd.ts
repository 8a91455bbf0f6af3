import type { CrowdReport } from './listener-crowd.ts'
import { ReportingChild } from './reporting-child.ts'

const CROWD = new URL('listener-crowd.ts', import.meta.url).pathname

/** Listeners in a separate process. Bun raises its own limit of open files as far as the machine allows. */
export class Crowd {
  readonly #child: ReportingChild<CrowdReport>

  private constructor(child: ReportingChild<CrowdReport>) {
    this.#child = child
  }

  /** Resolves when every listener has received the current tallies. */
  static async gather(url: string, count: number, paths: readonly string[]): Promise<Crowd> {
    const crowd = new Crowd(new ReportingChild(CROWD, [url, String(count), ...paths]))
    const first = await crowd.#child.next()
    if (first.open === count && first.refused === 0) return crowd
    await crowd.leave()
    throw new Error(`of ${count} listeners ${first.open} are connected and ${first.refused} were refused`)
  }

  report = (): Promise<CrowdReport> => this.#child.report()

  leave = (): Promise<void> => this.#child.leave()
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
