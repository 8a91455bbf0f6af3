import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { type MadePart, pathOf, withPart } from '../server/tools/made-text.ts'
import { readmeFigures } from './readme-figures.ts'
import { readCosts } from './scale-model.ts'
import { SCALE_TABLES } from './scale-tables.ts'
import { serversTable } from './servers-table.ts'

const results = readFileSync(pathOf('bench/RESULTS.md'), 'utf8')
const costs = readCosts(results)

const parts: MadePart[] = [
  { file: 'README.md', name: 'figures', text: readmeFigures(results) },
  { file: 'docs/guides/scale.md', name: 'servers', text: serversTable(results) },
  ...Object.entries(SCALE_TABLES).map(([name, table]) => ({
    file: 'docs/guides/scale.md',
    name,
    text: table(costs),
  })),
]

test.each(parts)('$file: "$name" is what the results give (npm run facts writes it)', (part) => {
  const file = pathOf(part.file)
  const fresh = withPart(part)
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(readFileSync(file, 'utf8')).toBe(fresh)
})
