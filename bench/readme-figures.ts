import { figureAt, type Place } from './results-table.ts'
import { count, formatTable } from './table.ts'

const speed = (row: string): Place => ({ section: 'workloads', table: '', row, column: 'requests/s' })

/** The figures of README, each with the command that prints it. */
export function readmeFigures(results: string): string {
  const at = (place: Place) => count(figureAt(results, place))
  const torture = (column: string) => at({ section: 'torture', table: '', row: 'all', column })
  const page = (column: string) => at({ section: 'pages', table: 'page', row: 'poll', column })
  const listeners: Place = {
    section: 'listeners',
    table: '10,000 listeners',
    row: 'sqlite, all on the poll that is voted on',
    column: 'idle',
  }
  return formatTable(
    ['server on one core', 'measured', 'command'],
    [
      ['votes/s on one poll, SQLite', at(speed('votes on one poll, Tossup on SQLite')), '`npm run bench`'],
      [
        'votes/s on one poll, PostgreSQL, one transaction for each vote, written by hand',
        at(speed('votes on one poll, by hand on PostgreSQL')),
        '`npm run bench`',
      ],
      [
        'votes/s on one poll, Tossup on the same PostgreSQL',
        at(speed('votes on one poll, Tossup on PostgreSQL')),
        '`npm run bench`',
      ],
      ['reads/s of a poll, SQLite', at(speed('reads of a poll, Tossup on SQLite')), '`npm run bench`'],
      ['memory with 10,000 live streams', `${at(listeners)} MB`, '`npm run bench -- --listeners`'],
      [
        'a hosted page without pictures',
        `${page('bytes without pictures')} bytes, Lighthouse performance ${page('performance')}`,
        '`npm run bench -- --pages`',
      ],
      [
        `acknowledged votes lost in ${torture('rounds')} kills of the server or PostgreSQL`,
        `${torture('lost')} of ${torture('acknowledged')}`,
        '`npm run torture`',
      ],
    ],
  )
}
