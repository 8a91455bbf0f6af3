import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { SCOPE_MEANINGS } from '../src/base/scopes.ts'
import { errorSections, errorTable } from '../tools/error-guide.ts'
import { eventTable } from '../tools/event-table.ts'
import { type MadePart, markdownTable, pathOf, withPart } from '../tools/made-text.ts'

const scopes = Object.entries(SCOPE_MEANINGS).map(([scope, meaning]) => [`\`${scope}\``, meaning])

const parts: MadePart[] = [
  { file: 'docs/guides/webhooks.md', name: 'events', text: eventTable() },
  { file: 'docs/guides/errors.md', name: 'error table', text: errorTable() },
  { file: 'docs/guides/errors.md', name: 'error details', text: errorSections() },
  { file: 'README.md', name: 'scopes', text: markdownTable(['scope', 'allows'], scopes) },
]

test.each(parts)('$file: "$name" is what the catalogue says (npm run facts writes it)', (part) => {
  const file = pathOf(part.file)
  const fresh = withPart(part)
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(readFileSync(file, 'utf8')).toBe(fresh)
})
