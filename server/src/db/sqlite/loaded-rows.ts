import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { join } from 'node:path'
import { PlainFailure } from '../../base/errors.ts'
import type { DumpedSchema, LoadedParts } from '../loaded-parts.ts'

const TAB = 9
const NEW_LINE = 10
const BACKSLASH = 92

/** The rows of a dump of PostgreSQL in a temporary SQLite database, where the same queries check them. */
export function loadRows(folder: string, { tables }: Pick<DumpedSchema, 'tables'>): LoadedParts {
  for (const { name, columns } of tables) for (const each of [name, ...columns]) assertPlainName(each)
  const file = new Database(join(folder, 'rows.sqlite'), { create: true, strict: true })
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'])
    file.run(`pragma ${pragma}`)
  file.run('begin')
  const inserts = new Map<string, Statement>()
  for (const { name, columns } of tables) {
    // A column without a type would keep numbers as text.
    file.run(`create table "${name}" (${columns.map((column) => `"${column}" numeric`).join(', ')})`)
    inserts.set(name, file.prepare(`insert into "${name}" values (${columns.map(() => '?').join(', ')})`))
  }
  return {
    async take(name, chunks) {
      const [table = '', part] = name.split('/')
      if (part === undefined) {
        for await (const _ of chunks);
        return
      }
      const insert = inserts.get(table)
      if (!insert) throw new PlainFailure(`The backup holds rows of "${table}", which is no table of it.`)
      for await (const row of rowsOf(chunks)) insert.run(...row)
    },
    async ready() {
      file.run('commit')
      return { select: async <Row>(query: string) => file.query<Row, []>(query).all() }
    },
    async close() {
      file.close()
    },
  }
}

/** The names come from the archive, and stand in statements here. */
function assertPlainName(name: string): void {
  if (!/^\w+$/.test(name)) throw new PlainFailure(`The backup holds the name "${name}", which is no table or column.`)
}

/** The text format of COPY: tabs between fields, `\N` for null, a backslash before special characters. */
async function* rowsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SQLQueryBindings[]> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(NEW_LINE, from); end !== -1; end = bytes.indexOf(NEW_LINE, from)) {
      yield fieldsOf(bytes, from, end)
      from = end + 1
    }
    rest = Buffer.from(bytes.subarray(from))
  }
  if (rest.length > 0) throw new PlainFailure('The backup ends within a row.')
}

function fieldsOf(bytes: Buffer, from: number, end: number): SQLQueryBindings[] {
  const fields: SQLQueryBindings[] = []
  let start = from
  for (let at = from; at <= end; at++) {
    if (at < end && bytes[at] !== TAB) continue
    fields.push(fieldValue(bytes, start, at))
    start = at + 1
  }
  return fields
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function fieldValue(bytes: Buffer, start: number, end: number): string | null {
  const text = bytes.toString('utf8', start, end)
  if (bytes.indexOf(BACKSLASH, start) === -1 || !text.includes('\\')) return text
  if (text === '\\N') return null
  return text.replaceAll(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character)
}
