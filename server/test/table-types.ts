import type { Column, Schema, Table } from './schema-of.ts'

const typeNames = { integer: 'number', flag: 'Flag', text: 'string', bytes: 'Uint8Array' } as const

const interfaceName = (table: string): string =>
  `${table.replace(/(^|_)([a-z])/g, (_, _before, letter: string) => letter.toUpperCase())}Table`

function typeOf({ name, type, isRequired, default: preset, oneOf }: Column, { isNumbered, primaryKey }: Table): string {
  const values = oneOf ? oneOf.map((value) => `'${value}'`).join(' | ') : typeNames[type]
  const selected = isRequired ? values : `${values} | null`
  const isGiven = preset !== null || (isNumbered && primaryKey.includes(name))
  return isGiven ? `Generated<${selected}>` : selected
}

/** A TypeScript module with the type of each table. */
export function tableTypes(schema: Schema): string {
  const tables = Object.entries(schema).sort(([left], [right]) => (left < right ? -1 : 1))
  const interfaces = tables.map(([name, table]) => {
    const columns = table.columns.map((column) => `  ${column.name}: ${typeOf(column, table)}\n`)
    return `export interface ${interfaceName(name)} {\n${columns.join('')}}\n`
  })
  return `// Written by \`npm run facts\` from server/migrations.
import type { Generated } from 'kysely'

/** Times are milliseconds in UTC, flags 0 or 1, bytes a Uint8Array: alike on both engines. */
export type Flag = 0 | 1

${interfaces.join('\n')}
export interface StoredTables {
${tables.map(([name]) => `  ${name}: ${interfaceName(name)}\n`).join('')}}
`
}
