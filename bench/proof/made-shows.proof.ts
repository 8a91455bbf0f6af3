import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { pathOf } from '../../server/tools/made-text.ts'
import { expectMade } from '../expect-made.ts'
import { roundCosts } from '../round-costs.ts'
import { readCosts } from '../scale-model.ts'
import { SCALE_TABLES } from '../scale-tables.ts'

test('docs/guides/scale.md: "shows" is what the results give (npm run facts writes it)', () => {
  const costs = readCosts(readFileSync(pathOf('bench/RESULTS.md'), 'utf8'))
  expectMade({ file: 'docs/guides/scale.md', name: 'shows', text: SCALE_TABLES.shows(costs) })
})

test('the table of shows has only figures', () => {
  const table = SCALE_TABLES.shows(roundCosts)
  expect(table).not.toMatch(/NaN|undefined|Infinity|e[+-]\d/)
})
