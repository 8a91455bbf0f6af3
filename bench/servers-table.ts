import { sectionOf } from './results-file.ts'
import { figureAt } from './results-table.ts'
import { COUNTS, rowOfServers } from './servers-report.ts'
import { formatTable, ratio } from './table.ts'
import type { Workload } from './workloads.ts'

const ROWS: readonly (readonly [title: string, workload: Workload['name'], column: string])[] = [
  ['votes/s on one poll', 'hot', 'ratio'],
  ['votes/s over 100 polls', 'spread', 'ratio'],
  ['reads/s of a poll, each server on a core', 'reads', 'by CPU'],
  ['database µs for each vote on one poll', 'hot', 'database µs'],
  ['database µs for each vote, over 100 polls', 'spread', 'database µs'],
]

/** What several servers gain, for `docs/guides/scale.md`. */
export function serversTable(results: string): string {
  if (sectionOf(results, 'servers') === '') return 'Not measured yet: `npm run bench -- --servers` does.'
  const figure = (name: Workload['name'], servers: (typeof COUNTS)[number], column: string) =>
    figureAt(results, { section: 'servers', table: '', row: rowOfServers(name, servers), column })
  const several = COUNTS.filter((servers) => servers > 1)
  const rows = ROWS.map(([title, name, column]) => {
    const one = column === 'database µs' ? figure(name, 1, column) : 1
    return [title, ...several.map((servers) => ratio(figure(name, servers, column) / one))]
  })
  return formatTable(['against one server', ...several.map(String)], rows)
}
