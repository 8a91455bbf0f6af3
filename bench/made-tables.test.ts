import { test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type MadePart, pathOf } from '../server/tools/made-text.ts'
import { expectMade } from './expect-made.ts'
import { readmeFigures } from './readme-figures.ts'
import { readCosts } from './scale-model.ts'
import { SCALE_TABLES } from './scale-tables.ts'
import { serversTable } from './servers-table.ts'

const results = readFileSync(pathOf('bench/RESULTS.md'), 'utf8')
const costs = readCosts(results)
// Simulating the shows takes seconds: `proof/made-shows.proof.ts`.
const { shows: _, ...quickTables } = SCALE_TABLES

const parts: MadePart[] = [
  { file: 'README.md', name: 'figures', text: readmeFigures(results) },
  { file: 'docs/guides/scale.md', name: 'servers', text: serversTable(results) },
  ...Object.entries(quickTables).map(([name, table]) => ({
    file: 'docs/guides/scale.md',
    name,
    text: table(costs),
  })),
]

test.each(parts)('$file: "$name" is what the results give (npm run facts writes it)', (part) => expectMade(part))
