import type { Dialect } from '../store.ts'

export const postgresDialect: Dialect = {
  types: {
    identity: 'bigint primary key generated always as identity',
    integer: 'bigint',
    timestamp: 'bigint',
    flag: 'smallint',
    bytes: 'bytea',
    text: 'text',
  },
  tableOptions: { plain: '', clustered: '' },
}
