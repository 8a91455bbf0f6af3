import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { type MadePart, pathOf, withPart } from '../server/tools/made-text.ts'

/** With `UPDATE_FACTS=1` it writes the part first. */
export function expectMade(part: MadePart): void {
  const file = pathOf(part.file)
  const fresh = withPart(part)
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(readFileSync(file, 'utf8')).toBe(fresh)
}
