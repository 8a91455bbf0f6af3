import { Histogram } from '../base/metrics-text.ts'

/** Seconds. The largest is 10, because no answer begins later than that. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Ending {
  readonly status: number
  /** The error code of a refusal, otherwise empty. */
  readonly code: string
  count: number
}

/** How the requests of one route ended. On the path of every request, so it avoids keyed lookups. */
export class RouteCounts {
  /** Empty for requests that match no route. */
  readonly route: string
  /** With its placeholders. */
  readonly path: string
  /** One entry for each status and error code that occurred: a few. */
  readonly endings: Ending[] = []
  readonly durations = new Histogram(BOUNDS)

  constructor(route: string, path: string) {
    this.route = route
    this.path = path
  }

  add(status: number, code: string, seconds: number): void {
    this.durations.observe(seconds)
    for (const ending of this.endings) {
      if (ending.status === status && ending.code === code) {
        ending.count++
        return
      }
    }
    this.endings.push({ status, code, count: 1 })
  }
}
