import { sql } from 'kysely'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { migrationTexts } from '../base/own-texts.ts'
import { type Dialect, type EngineName, engineNames, type OpenedEngine, type Tx, typeWords } from './store.ts'

const BLOCK = /^-- (\w+):$/
const CREATE_TABLE = /^create table \w+ \($/
const END_OF_TABLE = /^\)( clustered)?;$/
const CONSTRAINT = /^ {2}(primary key|unique|check|foreign key) ?\(.*\),?$/
const COLUMN = /^( {2}\w+ )(\w+)(.*)$/
const ADD_COLUMN = /^(alter table \w+ add column \w+ )(\w+)(.*;)$/
const OTHER_COLUMNS = /^(create table|alter table \w+ add)\b/

/**
 * Translates a migration into the SQL of one engine: type words become its types, and the blocks of other engines are
 * dropped. Works line by line, so that a mistake is reported with its line instead of meaning something else on one engine.
 */
export function migrationSql(file: string, script: string, target: { name: EngineName; dialect: Dialect }): string {
  let block = 'both'
  let isInTable = false

  function translate(line: string): string {
    const [, beginning] = BLOCK.exec(line) ?? []
    if (beginning !== undefined) return beginBlock(beginning)
    if (block !== 'both') return block === target.name ? line : ''
    const wasInTable = isInTable
    isInTable = CREATE_TABLE.test(line) || (isInTable && !END_OF_TABLE.test(line))
    return wasInTable ? lineOfTable(line, target.dialect) : lineOutside(line, target.dialect)
  }

  function beginBlock(name: string): string {
    if (isInTable || !['both', ...engineNames].includes(name)) throw new Error('no block can begin here')
    block = name
    return ''
  }

  const lines = script.split('\n').map((line, i) => {
    try {
      return translate(line)
    } catch (error) {
      throw new Error(`migration ${file}, line ${i + 1}: ${reasonOf(error)}: ${line}`)
    }
  })
  if (isInTable) throw new Error(`migration ${file}: the last table has no end`)
  return lines.join('\n')
}

function lineOutside(line: string, dialect: Dialect): string {
  const column = ADD_COLUMN.exec(line)
  if (column) return withType(column, dialect)
  if (OTHER_COLUMNS.test(line) && !CREATE_TABLE.test(line))
    throw new Error('write one column a line (alter table polls add column note text;)')
  return line
}

function lineOfTable(line: string, dialect: Dialect): string {
  const end = END_OF_TABLE.exec(line)
  if (end) return `) ${dialect.tableOptions[end[1] ? 'clustered' : 'plain']};`
  if (CONSTRAINT.test(line)) return line
  const column = COLUMN.exec(line)
  if (!column) throw new Error('write one column or constraint a line')
  return withType(column, dialect)
}

function withType([, before = '', word = '', after = '']: readonly string[], { types }: Dialect): string {
  const known = typeWords.find((each) => each === word)
  if (!known) throw new Error(`"${word}" is none of the types ${typeWords.join(', ')}`)
  return before + types[known] + after
}

function textOf(name: string): string {
  const text = migrationTexts()[name]
  if (text === undefined) throw new Error(`there is no migration ${name}`)
  return text
}

/** The names of all migrations of this version, in their order. */
export const migrationNames = (): string[] => Object.keys(migrationTexts()).filter((name) => !name.includes('/'))

/** The SQL of a migration for one engine. */
export const migrationScript = (name: string, engine: Pick<OpenedEngine, 'name' | 'dialect'>): string =>
  migrationSql(name, textOf(name), engine)

/** Derived from votes, or meaningless in another database. */
const NOT_ARCHIVED = ['fresh_votes', 'vote_prints', 'readiness', 'service', 'poll_log_tiles']

/** Those of these tables that an archive holds, each after those to which it refers. */
export const archivedTables = (found: readonly string[]): string[] =>
  createdTables().filter((name) => found.includes(name) && !NOT_ARCHIVED.includes(name))

/** Every table that a migration has ever created, in their order; one that an older table refers to by a later column before that. */
function createdTables(): string[] {
  const script = migrationNames().map(textOf).join('\n')
  const tables = [...new Set([...script.matchAll(/^create table (\w+) \(/gm)].map(([, name = '']) => name))]
  for (const [, from = '', to = ''] of script.matchAll(/^alter table (\w+) add column .* references (\w+)/gm))
    if (tables.indexOf(to) > tables.indexOf(from))
      tables.splice(tables.indexOf(from), 0, ...tables.splice(tables.indexOf(to), 1))
  return tables
}

/**
 * Applies the missing migrations in order, in one transaction, and returns their names. `beforeUpgrade` runs before a database
 * that has rows is changed, while nobody else can write.
 */
export async function migrate(
  engine: OpenedEngine,
  now: number,
  { beforeUpgrade }: { beforeUpgrade?: () => void } = {},
): Promise<string[]> {
  const names = migrationNames()
  return engine.whileMigrating(async (tx) => {
    const applied = await appliedNames(tx)
    assertNotNewer(applied, names)
    const missing = names.filter((name) => !applied.includes(name))
    if (applied.length > 0 && missing.length > 0) {
      await engine.lockTables(tx, ['polls', ...createdTables()])
      beforeUpgrade?.()
    }
    for (const name of missing) {
      await engine.runScript(tx, migrationScript(name, engine))
      await sql`insert into migrations (name, applied_at) values (${name}, ${now})`.execute(tx)
    }
    return missing
  })
}

function assertNotNewer(applied: readonly string[], names: readonly string[]): void {
  const unknown = applied.findLast((name) => !names.includes(name))
  if (unknown) {
    throw new PlainFailure(
      `The database is newer than this version of Tossup: it has the migration ${unknown}. Start the newer version, or restore a backup of this version into another database; on SQLite, the copy from before the upgrade is in DATA_DIR/before-VERSION.`,
    )
  }
}

async function appliedNames(tx: Tx): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(tx)
  return rows.map((row) => row.name)
}
