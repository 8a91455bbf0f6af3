import { expect } from 'bun:test'
import type { TestService } from './service.ts'

const SAMPLE = /^([a-z_][a-z0-9_]*)(\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/

/** A strict parser: help, type, then the samples of that metric, none repeated. */
function readMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  let [current, isHistogram] = ['', false]
  for (const line of text.split('\n').slice(0, -1)) {
    const [, announced, type] = /^# (?:HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (announced !== undefined) {
      current = announced
      isHistogram = type === 'histogram'
      continue
    }
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
    const suffix = name.startsWith(current) ? name.slice(current.length) : null
    const isKnown = isHistogram ? ['_bucket', '_sum', '_count'].includes(suffix ?? '') : suffix === ''
    if (!isKnown || samples.has(name + labels)) throw new Error(`not a sample: ${line}`)
    samples.set(name + labels, Number(value))
  }
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  return samples
}

/** The text that the metrics port serves. */
export async function metricsText({ service }: TestService): Promise<string> {
  const response = await fetch(`${service.metricsUrl}metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

export const metricsOf = async (service: TestService): Promise<Map<string, number>> =>
  readMetrics(await metricsText(service))
