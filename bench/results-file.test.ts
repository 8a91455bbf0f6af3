import { expect, test } from 'bun:test'
import { withSection } from './results-file.ts'

test('a run replaces its own section and leaves the others as they are, in their order', () => {
  const both = withSection(withSection('', 'growth', 'grown'), 'workloads', 'fast')
  expect(both.match(/^## .*$/gm)).toEqual(['## Speed', '## Growth'])
  const again = withSection(both, 'workloads', 'faster\n')
  expect(again).toContain('## Speed\n\nfaster\n\n<!-- growth -->\n## Growth\n\ngrown\n')
  expect(again).not.toContain('fast\n')
  expect(withSection(again, 'workloads', 'faster')).toBe(again)
})
