import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { METRICS } from '../src/app/metrics-catalogue.ts'
import { freePort } from './free-port.ts'
import { metricsOf } from './metrics.ts'
import { startTestService } from './service.ts'

const root = join(import.meta.dir, '../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const rules = (
  Bun.YAML.parse(textOf('deploy/prometheus-rules.yaml')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules)

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: { readonly expr: string; readonly legendFormat: string }[]
}

const board = JSON.parse(textOf('deploy/grafana.json')) as { panels: Panel[] }
const panels = board.panels.filter(({ type }) => type !== 'row')

const fromBoard = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const))
const fromRules = rules.map(({ alert, expr }) => [alert, expr] as const)
const expressions = [...fromRules, ...fromBoard].map(
  ([name, expr]) => [name, expr.replaceAll('$__rate_interval', '5m')] as const,
)

/** Labels that Prometheus adds to each series. */
const OF_PROMETHEUS = ['instance', 'job']

interface Selected {
  readonly name: string
  readonly matchers: readonly (readonly [label: string, operator: string, value: string])[]
}

/** The series that an expression selects, and all labels that it names. Throws if the expression cannot be parsed. */
function readExpression(expr: string): { selected: Selected[]; labels: string[] } {
  const [selected, labels]: [Selected[], string[]] = [[], []]
  const slice = ({ from, to }: { from: number; to: number }) => expr.slice(from, to)
  parser.parse(expr).iterate({
    enter({ type, node }) {
      if (type.isError) throw new Error(`cannot be parsed at ${node.from}: ${expr}`)
      if (type.name === 'LabelName') labels.push(slice(node))
      if (type.name !== 'VectorSelector') return
      const name = node.getChild('Identifier')
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
      selected.push({
        name: name ? slice(name) : '',
        matchers: matchers.map((matcher) => {
          const [label, operator, value] = [matcher.firstChild, matcher.firstChild?.nextSibling, matcher.lastChild]
          if (!label || !operator || !value) throw new Error(`not a matcher: ${slice(matcher)}`)
          return [slice(label), slice(operator), slice(value).slice(1, -1)] as const
        }),
      })
    },
  })
  return { selected, labels }
}

const SERIES = /^([a-z_]+)(?:\{(.*)\})?$/
/** Label values of each label of each series that a running server reports. */
const known = new Map<string, Map<string, Set<string>>>()
let operations: string[]
let codes: Set<string>

beforeAll(async () => {
  const service = await startTestService('sqlite', { settings: { METRICS_PORT: String(freePort()) } })
  const poll = await service.createPoll(await service.createBrand())
  await service.vote(poll.slug, 'A')
  for (const path of [`polls/${poll.slug}`, `p/${poll.slug}`, 'polls/nothing']) await service.get(path)
  for (const sample of (await metricsOf(service)).keys()) {
    const [, name = '', labels = ''] = SERIES.exec(sample) ?? []
    const values = known.get(name) ?? new Map<string, Set<string>>()
    known.set(name, values)
    for (const [, label = '', value = ''] of labels.matchAll(/([a-z]+)="([^"]*)"/g)) {
      values.set(label, (values.get(label) ?? new Set()).add(value))
    }
  }
  operations = service.service.routes.map(({ spec }) => spec.name)
  const document = JSON.parse(textOf('server/openapi.json'))
  codes = new Set(JSON.stringify(document).match(/\b[A-Z][A-Z_]{4,}\b/g))
  await service.stop()
})
afterAll(() => known.clear())

/** Series that begin with their first event have no value to compare with. */
function isPossible(label: string, value: string): boolean {
  if (label === 'status') return /^[2-5]\d\d$/.test(value)
  if (label === 'route') return operations.includes(value)
  return label === 'code' && (value === '' || codes.has(value))
}

test.each(expressions)('%s: %s names series and labels that a server reports', (_, expr) => {
  const { selected, labels } = readExpression(expr)
  expect(selected).not.toEqual([])
  const ofAll = new Set<string>(OF_PROMETHEUS)
  for (const { name, matchers } of selected) {
    const series = known.get(name)
    if (!series) throw new Error(`no server reports ${name}`)
    for (const label of series.keys()) ofAll.add(label)
    for (const [label, , value] of matchers) {
      const values = series.get(label) ?? new Set()
      if (!values.has(value) && !isPossible(label, value)) throw new Error(`${name} has no ${label}="${value}"`)
      expect([...series.keys()]).toContain(label)
    }
  }
  expect(labels.filter((label) => !ofAll.has(label))).toEqual([])
})

test('an expression with an error, or with a label that does not exist, would be found', () => {
  expect(() => readExpression('sum(rate(tossup_votes_total[5m])')).toThrow('cannot be parsed')
  expect(() => readExpression('sum by (le (x)')).toThrow('cannot be parsed')
  expect(readExpression('sum by (kind) (x{other="y"})').labels.sort()).toEqual(['kind', 'other'])
})

test('every metric is on the board or in an alert', () => {
  const named = new Set(expressions.flatMap(([, expr]) => readExpression(expr).selected.map(({ name }) => name)))
  const bases = new Set([...named].map((name) => name.replace(/_bucket$/, '')))
  expect(Object.keys(METRICS).filter((name) => !bases.has(name))).toEqual([])
})

/** The anchor that GitHub generates for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

test.each(rules)('$alert says what to do and where to read on', ({ labels, annotations, ...rule }) => {
  expect(rule.alert).toMatch(/^Tossup[A-Z]/)
  expect(['critical', 'warning', 'info']).toContain(labels.severity)
  expect(rule.for ?? '1m').toMatch(/^\d+[mh]$/)
  // The fault, then what to do.
  expect(annotations.summary).toMatch(/^\S.{20,}[.;] .{15,}\.$/)
  const [file, anchor = ''] = annotations.runbook.split('#')
  const headings = [...textOf(String(file)).matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  expect(headings).toContain(anchor)
})

test('the names of alerts are unique, and the guide lists them all', () => {
  const names = rules.map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  const guide = textOf('docs/guides/watching.md')
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})

test('the panels of the board have the data source of the board, and none covers another', () => {
  expect(panels.filter(({ datasource }) => datasource?.uid !== ['$', '{datasource}'].join(''))).toEqual([])
  expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length)
  const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(board.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
})
