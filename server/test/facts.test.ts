import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { ACTIONS } from '../src/events/activity.ts'
import { consoleEvents, consoleEventsFile } from '../tools/console-events.ts'
import { consoleFindings, consoleFindingsFile } from '../tools/console-findings.ts'
import { doctorTable } from '../tools/doctor-table.ts'
import { errorSections, errorTable } from '../tools/error-guide.ts'
import { eventTable } from '../tools/event-table.ts'
import { rateLimitsTable, sizesTable } from '../tools/limit-tables.ts'
import { type MadePart, markdownTable, pathOf, withPart } from '../tools/made-text.ts'
import { metricTable } from '../tools/metric-table.ts'
import { scopeTable } from '../tools/scope-table.ts'
import { commandVariablesTable, settingsTable } from '../tools/settings-table.ts'
import { AUDIT_FILE, specAudit } from '../tools/spec-audit.ts'
import { stateTables } from './states/tables.ts'

const actions = Object.entries(ACTIONS).map(([action, when]) => [`\`${action}\``, when])

const parts: MadePart[] = [
  { file: 'docs/guides/webhooks.md', name: 'events', text: eventTable() },
  { file: 'docs/guides/activity.md', name: 'actions', text: markdownTable(['action', 'when'], actions) },
  { file: 'docs/guides/errors.md', name: 'error table', text: errorTable() },
  { file: 'docs/guides/errors.md', name: 'error details', text: errorSections() },
  { file: 'docs/guides/limits.md', name: 'rate limits', text: rateLimitsTable() },
  { file: 'docs/guides/limits.md', name: 'sizes', text: sizesTable() },
  { file: 'docs/guides/watching.md', name: 'metrics', text: metricTable() },
  { file: 'docs/guides/tokens.md', name: 'scopes', text: scopeTable() },
  { file: 'docs/guides/settings.md', name: 'settings', text: settingsTable() },
  { file: 'docs/guides/run.md', name: 'doctor', text: doctorTable() },
  { file: 'docs/guides/states.md', name: 'states', text: stateTables() },
  { file: 'docs/testing.md', name: 'variables', text: commandVariablesTable() },
]

test.each(parts)('$file: "$name" is what the catalogue says (npm run facts writes it)', (part) => {
  const file = pathOf(part.file)
  const fresh = withPart(part)
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(readFileSync(file, 'utf8')).toBe(fresh)
})

test.each([
  ['when each event is sent', consoleEventsFile, consoleEvents],
  ['the words of each finding', consoleFindingsFile, consoleFindings],
])('the console knows %s (npm run facts writes it)', (_, file, made) => {
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, made())
  expect(readFileSync(file, 'utf8')).toBe(made())
})

test('the audit of the specification lists the tests that name its sentences (npm run facts writes it)', () => {
  const fresh = specAudit()
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(pathOf(AUDIT_FILE), fresh)
  expect(readFileSync(pathOf(AUDIT_FILE), 'utf8')).toBe(fresh)
})
