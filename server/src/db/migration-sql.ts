import { reasonOf } from '../base/errors.ts'
import { type Dialect, type EngineName, engineNames, typeWords } from './dialect.ts'

const BLOCK = /^-- (\w+):$/
const CREATE_TABLE = /^create table \w+ \($/
const END_OF_TABLE = /^\)( clustered)?;$/
const CONSTRAINT = /^ {2}(primary key|unique|check|foreign key) ?\(.*\),?$/
const COLUMN = /^( {2}\w+ )(\w+)(.*)$/
const ADD_COLUMN = /^(alter table \w+ add column \w+ )(\w+)(.*;)$/
const OTHER_COLUMNS = /^(create table|alter table \w+ add)\b/

interface Target {
  readonly name: EngineName
  readonly dialect: Dialect
}

/**
 * Translates a migration into the SQL of one engine: type words become its types, and the blocks of other engines are
 * dropped. Works line by line, so that a mistake is reported with its line instead of meaning something else on one engine.
 */
export function migrationSql(file: string, script: string, target: Target): string {
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
