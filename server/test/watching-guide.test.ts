import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { freePort } from './free-port.ts'
import { metricsOf, metricsText } from './metrics.ts'
import { startTestService } from './service.ts'

const guide = readFileSync(new URL('../../docs/guides/watching.md', import.meta.url), 'utf8')

/** A metric as the guide writes it: its name, its labels in their order, its type. */
const documented = [...guide.matchAll(/^\| `(\w+)(?:\{([\w,]+)\})?` +\| (counter|gauge|histogram) /gm)].map(
  ([, name = '', labels = '', type]) => `${type} ${name}{${labels}}`,
)

test('the guide lists every metric of a running server, with its type and labels, and no other', async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  const poll = await service.createPoll(await service.createBrand())
  await service.vote(poll.slug, 'A', randomUUID())
  await service.get(`polls/${poll.slug}`)
  const text = await metricsText(service)
  const samples = [...(await metricsOf(service)).keys()]
  await service.stop()

  const told = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => {
    const own = samples.filter((key) => key === name || new RegExp(`^${name}(_bucket)?\\{`).test(key))
    const labels = new Set(own.map((key) => [...key.matchAll(/(\w+)="/g)].map(([, label]) => label).join(',')))
    const [found = '', ...others] = labels
    expect([name, others]).toEqual([name, []])
    return `${type} ${name}{${type === 'histogram' ? found.replace(/,?le$/, '') : found}}`
  })
  expect(told.length).toBeGreaterThan(20)
  expect(documented.toSorted()).toEqual(told.toSorted())
})

test('every metric that the guide names elsewhere, such as in an alert, exists', () => {
  const listed = new Set(documented.map((metric) => metric.replace(/^\w+ (\w+)\{.*$/, '$1')))
  const named = [...guide.matchAll(/\b(?:tossup|process)_\w+|\btally_drift\b/g)].map(([name]) => name)
  const missing = named.filter((name) => !listed.has(name) && !listed.has(name.replace(/_(bucket|sum|count)$/, '')))
  expect(missing).toEqual([])
})
