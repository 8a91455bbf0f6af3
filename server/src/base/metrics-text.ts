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
