import type { Log } from '../src/base/log.ts'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly milliseconds: number
  readonly attributes: Readonly<Record<string, string>>
  readonly isError: boolean
}

export interface ReceivedMetric {
  readonly kind: 'gauge' | 'sum' | 'histogram'
  /** By the attributes of the point, as JSON. */
  readonly points: ReadonlyMap<string, number>
}

/** Null for an answer that never comes. */
type Behaviour = (attempt: number) => Response | null

type Json = Record<string, unknown>

/**
 * A collector that checks each body by the rules of OTLP's JSON: known fields only, ids in lower-case hexadecimal, 64-bit
 * integers as strings. A fault is kept and answered 400.
 */
export class OtlpCollector {
  readonly faults: string[] = []
  readonly spans: ReceivedSpan[] = []
  readonly metrics = new Map<string, ReceivedMetric>()
  readonly resources: Readonly<Record<string, string>>[] = []
  readonly headers: Headers[] = []
  attempts = 0
  behave: Behaviour = () => Response.json({})
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#take(request),
  })
  readonly #hanging = Promise.withResolvers<Response>()

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async stop(): Promise<void> {
    this.#hanging.resolve(new Response())
    await this.#server.stop(true)
  }

  async #take(request: Request): Promise<Response> {
    this.attempts++
    this.headers.push(request.headers)
    const body = await request.text()
    const answer = this.behave(this.attempts)
    if (answer === null) return this.#hanging.promise
    if (!answer.ok) return answer
    try {
      is(request.method === 'POST' && request.headers.get('content-type') === 'application/json', 'a POST of JSON')
      const { pathname } = new URL(request.url)
      if (pathname === '/v1/traces') this.#readTraces(JSON.parse(body))
      else if (pathname === '/v1/metrics') this.#readMetrics(JSON.parse(body))
      else throw new Error(`no such path: ${pathname}`)
      return answer
    } catch (error) {
      this.faults.push(String(error))
      return new Response(null, { status: 400 })
    }
  }

  #readTraces(body: unknown): void {
    for (const { scoped } of this.#scopes(body, 'resourceSpans', 'scopeSpans', 'spans')) {
      this.spans.push(...scoped.map(readSpan))
    }
  }

  #readMetrics(body: unknown): void {
    for (const { scoped } of this.#scopes(body, 'resourceMetrics', 'scopeMetrics', 'metrics')) {
      for (const each of scoped) {
        const [name, metric] = readMetric(each)
        this.metrics.set(name, metric)
      }
    }
  }

  #scopes(body: unknown, ...[outer, inner, leaf]: readonly [string, string, string]) {
    return listOf(object(body, [outer])[outer]).flatMap((each) => {
      const { resource, [inner]: scopes } = object(each, ['resource', inner])
      this.resources.push(readAttributes(object(resource, ['attributes'])['attributes']))
      return listOf(scopes).map((part) => {
        const { scope, [leaf]: scoped } = object(part, ['scope', leaf])
        const { name, version } = object(scope, ['name', 'version'])
        is(typeof name === 'string' && typeof version === 'string', 'a scope with name and version')
        return { scoped: listOf(scoped) }
      })
    })
  }
}

function readSpan(span: unknown): ReceivedSpan {
  const fields = ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'status']
  const all = object(span, fields, ['parentSpanId'])
  const traceId = idOf(all['traceId'], 32)
  const spanId = idOf(all['spanId'], 16)
  is(all['kind'] === 2, 'the kind of a server')
  is(typeof all['name'] === 'string' && all['name'] !== '', 'a name')
  const [start, end] = [nanos(all['startTimeUnixNano']), nanos(all['endTimeUnixNano'])]
  is(end >= start, 'an end after the start')
  const { code } = object(all['status'], [], ['code'])
  is(code === undefined || code === 2, 'a status')
  return {
    traceId,
    spanId,
    ...('parentSpanId' in all ? { parentSpanId: idOf(all['parentSpanId'], 16) } : {}),
    name: String(all['name']),
    milliseconds: Number((end - start) / 1_000n) / 1_000,
    attributes: readAttributes(all['attributes']),
    isError: code === 2,
  }
}

function readMetric(metric: unknown): [string, ReceivedMetric] {
  const all = object(metric, ['name', 'description'], ['gauge', 'sum', 'histogram'])
  const kinds = (['gauge', 'sum', 'histogram'] as const).filter((kind) => kind in all)
  const [kind] = kinds
  is(kinds.length === 1 && kind !== undefined, 'one kind of data')
  const more = { gauge: [], sum: ['aggregationTemporality', 'isMonotonic'], histogram: ['aggregationTemporality'] }
  const data = object(all[kind as string], ['dataPoints', ...more[kind as 'gauge']])
  if (kind !== 'gauge') is(data['aggregationTemporality'] === 2, 'cumulative values')
  if (kind === 'sum') is(data['isMonotonic'] === true, 'a counter')
  const points = listOf(data['dataPoints']).map((point) => readPoint(point, kind === 'histogram'))
  return [String(all['name']), { kind: kind as ReceivedMetric['kind'], points: new Map(points) }]
}

function readPoint(point: unknown, isHistogram: boolean): [string, number] {
  const values = isHistogram ? ['count', 'sum', 'bucketCounts', 'explicitBounds'] : ['asDouble']
  const all = object(point, ['attributes', 'startTimeUnixNano', 'timeUnixNano', ...values])
  is(nanos(all['timeUnixNano']) >= nanos(all['startTimeUnixNano']), 'a time after the start')
  const attributes = JSON.stringify(readAttributes(all['attributes']))
  if (!isHistogram) {
    is(Number.isFinite(all['asDouble']), 'a number')
    return [attributes, all['asDouble'] as number]
  }
  const counts = listOf(all['bucketCounts']).map(wholeOf)
  const bounds = listOf(all['explicitBounds']) as number[]
  is(counts.length === bounds.length + 1, 'one bucket more than bounds')
  is(
    bounds.every((bound, at) => Number.isFinite(bound) && (at === 0 || bound > (bounds[at - 1] as number))),
    'ascending bounds',
  )
  const count = wholeOf(all['count'])
  is(counts.reduce((sum, each) => sum + each, 0n) === count, 'buckets that add up to the count')
  is(Number.isFinite(all['sum']), 'a sum')
  return [attributes, Number(count)]
}

function readAttributes(attributes: unknown): Record<string, string> {
  const pairs = listOf(attributes).map((attribute): [string, string] => {
    const { key, value } = object(attribute, ['key', 'value'])
    is(typeof key === 'string' && key !== '', 'a key')
    const { stringValue, intValue } = object(value, [], ['stringValue', 'intValue'])
    is((stringValue === undefined) !== (intValue === undefined), 'one value')
    if (intValue !== undefined) return [key as string, String(wholeOf(intValue))]
    is(typeof stringValue === 'string', 'a text')
    return [key as string, stringValue as string]
  })
  is(new Set(pairs.map(([key]) => key)).size === pairs.length, 'each key once')
  return Object.fromEntries(pairs)
}

function is(condition: boolean, wanted: string): void {
  if (!condition) throw new Error(`this is not ${wanted}`)
}

function object(value: unknown, fields: readonly string[], optional: readonly string[] = []): Json {
  is(typeof value === 'object' && value !== null && !Array.isArray(value), 'an object')
  const names = Object.keys(value as Json)
  const wrong = names.find((name) => !fields.includes(name) && !optional.includes(name))
  is(wrong === undefined, `a field of OTLP: ${wrong}`)
  for (const field of fields) is(names.includes(field), `an object with ${field}`)
  return value as Json
}

function listOf(value: unknown): unknown[] {
  is(Array.isArray(value), 'a list')
  return value as unknown[]
}

function idOf(value: unknown, digits: number): string {
  is(typeof value === 'string' && /^[0-9a-f]+$/.test(value) && value.length === digits, `an id of ${digits} digits`)
  is(!/^0+$/.test(value as string), 'an id that is not zero')
  return value as string
}

function wholeOf(value: unknown): bigint {
  is(typeof value === 'string' && /^\d+$/.test(value), 'a whole number as a string')
  return BigInt(value as string)
}

/** Within the last hour, so that a time in another unit is found. */
function nanos(value: unknown): bigint {
  const time = wholeOf(value)
  const age = BigInt(Date.now()) * 1_000_000n - time
  is(age > -60_000_000_000n && age < 7_200_000_000_000n, 'a time of now in nanoseconds')
  return time
}

/** Keeps what is warned of. */
export function warningLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const log = { warn: (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`) }
  return { log: log as unknown as Log, lines }
}
