export type MetricType = 'counter' | 'gauge' | 'histogram'

export interface Metric {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** A histogram has three kinds of series, told apart by suffix. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The text format of Prometheus. */
export const metricsText = (metrics: readonly Metric[]): string => metrics.map(blockOf).join('')

function blockOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelsOf(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelsOf(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** Counts values by size without allocation: a value is compared with a few bounds and added to a sum. */
export class Histogram {
  readonly #bounds: readonly number[]
  /** One more than there are bounds: the last counts the values above all bounds. */
  readonly #counts: number[]
  #sum = 0

  /** Ascending. A value that equals a bound counts as below it. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = [...bounds, 0].map(() => 0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at++
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#sum += value
  }

  get count(): number {
    return this.#counts.reduce((sum, own) => sum + own, 0)
  }

  /** The values up to one of the bounds. */
  countUpTo(bound: number): number {
    return this.#counts.reduce(
      (sum, own, at) => ((this.#bounds[at] ?? Number.POSITIVE_INFINITY) <= bound ? sum + own : sum),
      0,
    )
  }

  /** In the Prometheus format: each bucket includes the counts of all smaller buckets. */
  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    let count = 0
    const buckets = this.#counts.map((own, at) => {
      count += own
      const le = at < this.#bounds.length ? String(this.#bounds[at]) : '+Inf'
      return { suffix: '_bucket', labels: { ...labels, le }, value: count }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: count }]
  }
}
