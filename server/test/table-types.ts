import type { Column, Schema, Table } from './schema-of.ts'

const typeNames = { integer: 'number', flag: 'Flag', text: 'string', bytes: 'Uint8Array' } as const

function typeOf({ name, type, isRequired, default: preset, oneOf }: Column, { isNumbered, primaryKey }: Table): string {
  const values = oneOf ? oneOf.map((value) => `'${value}'`).join(' | ') : typeNames[type]
  const selected = isRequired ? values : `${values} | null`
  const isGiven = preset !== null || (isNumbered && primaryKey.includes(name))
  return isGiven ? `Generated<${selected}>` : selected
}

/** A TypeScript module with the columns of each table. */
export function tableTypes(schema: Schema): string {
  const tables = Object.entries(schema).sort(([left], [right]) => (left < right ? -1 : 1))
  const fields = tables.map(([name, table]) => {
    const columns = table.columns.map((column) => `    ${column.name}: ${typeOf(column, table)}\n`)
    return `  ${name}: {\n${columns.join('')}  }\n`
  })
  return `// Written by \`npm run facts\` from server/migrations.
import type { Generated } from 'kysely'

/** Times are milliseconds in UTC, flags 0 or 1, bytes a Uint8Array: alike on both engines. */
export type Flag = 0 | 1

export interface StoredTables {
${fields.join('')}}
`
}
