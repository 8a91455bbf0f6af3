import { isNode, type TreeNode, type TreeValue } from './query-tree.ts'

/** Where the tables are, by the number that PostgreSQL gives each of them. A table that is in neither is on the coordinator. */
export interface Placement {
  /** The tables that are divided, with the number of the column by which they are. */
  readonly distributed: ReadonlyMap<string, number>
  readonly reference: ReadonlySet<string>
}

const RELATION = '0'
const [UPDATE, DELETE] = ['2', '4']

interface Level {
  readonly query: TreeNode
  readonly tables: readonly TreeNode[]
}

/** Describes each part of a statement that Citus refuses; empty if it accepts all. */
export function breaches(tree: TreeNode, placement: Placement): string[] {
  return [...new Set(judge(tree, [], placement))]
}

function judge(query: TreeNode, outer: readonly Level[], placement: Placement): string[] {
  const level: Level = { query, tables: listOf(query.fields['rtable']) }
  const levels = [level, ...outer]
  return [
    ...unjoined(level, placement),
    ...writes(level, placement),
    ...readWhole(level, placement),
    ...dependent(level, outer, placement),
    ...childQueries(query).flatMap(({ child, isAlone }) => judge(child, isAlone ? [] : levels, placement)),
  ]
}

/** Distributed tables of one level have to be joined by poll. */
function unjoined({ query, tables }: Level, placement: Placement): string[] {
  const divided = tables.flatMap((table, i) => (isDistributed(table, placement) ? [String(i + 1)] : []))
  const group = new Map<string, string>()
  const rootOf = (name: string): string => {
    const next = group.get(name)
    return next === undefined || next === name ? name : rootOf(next)
  }
  for (const [left, right] of equalities(query)) {
    if (left.up === 0 && right.up === 0)
      group.set(rootOf(`${left.table}.${left.column}`), rootOf(`${right.table}.${right.column}`))
  }
  const keys = divided.map((table) => rootOf(`${table}.${keyColumn(tables[Number(table) - 1], placement)}`))
  return new Set(keys).size > 1 ? ['it joins distributed tables on something else than poll_key'] : []
}

const INNER = '0'

/** Where distributed rows may be missing beside others, Citus reads all of them first, unless a subquery names some. */
function readWhole({ query, tables }: Level, placement: Placement): string[] {
  const outerJoins = ownNodes(query).filter(({ kind, fields }) => kind === 'JOINEXPR' && fields['jointype'] !== INNER)
  const isDivided = (index: string) => {
    const table = tables[Number(index) - 1]
    return table !== undefined && isDistributed(table, placement)
  }
  const reads = outerJoins.some(({ fields }) => {
    const [left, right] = [fields['larg'], fields['rarg']].map((side) => leavesOf(side ?? null))
    return right?.some(isDivided) && !left?.some(isDivided)
  })
  return reads ? ['it reads the whole of a distributed table for an outer join'] : []
}

const leavesOf = (side: TreeValue): string[] => {
  if (!isNode(side)) return []
  if (side.kind === 'RANGETBLREF') return [String(side.fields['rtindex'])]
  return [side.fields['larg'], side.fields['rarg']].flatMap((part) => leavesOf(part ?? null))
}

/** A table of the coordinator cannot be written from distributed rows, unless a CTE reads them first. */
function writes({ query, tables }: Level, placement: Placement): string[] {
  const { commandType, resultRelation } = query.fields
  if (commandType !== UPDATE && commandType !== DELETE) return []
  const target = tables[Number(resultRelation) - 1]
  const isOurs = target !== undefined && isDistributed(target, placement)
  const readsDivided = tables.some((table) => table !== target && isDistributed(table, placement))
  const nested = childQueries(query).filter(({ isAlone }) => !isAlone)
  const reads = readsDivided || nested.some(({ child }) => touches(child, isDistributed, placement))
  return reads && !isOurs ? ['it changes a table of the coordinator from distributed rows'] : []
}

/** A subquery that depends on a row of an outer query has to run where that row is. */
function dependent({ query, tables }: Level, outer: readonly Level[], placement: Placement): string[] {
  if (outer.length === 0) return []
  const asked = outerColumns(query)
  if (asked.length === 0) return []
  if (touches(query, isDistributed, placement)) {
    const isBeside = equalities(query).some(([left, right]) => {
      const [own, other] = left.up === 0 ? [left, right] : [right, left]
      const theirs = other.up > 0 ? outer[other.up - 1]?.tables[Number(other.table) - 1] : undefined
      return own.up === 0 && isKey(own, tables, placement) && theirs !== undefined && isKeyOf(other, theirs, placement)
    })
    return isBeside || isLookup({ query, tables }, { asked, outer }, placement)
      ? []
      : ['a subquery on a distributed table depends on a row that is elsewhere']
  }
  const isLocal = touches(query, isOnCoordinator, placement)
  const reach = Math.max(...asked.map(({ up }) => up))
  const besideDivided = outer
    .slice(0, reach)
    .some((level) => level.tables.some((table) => isDistributed(table, placement)))
  return isLocal && besideDivided
    ? ['a subquery on a table of the coordinator stands in a query on a distributed one']
    : []
}

const CTE = '6'

/** Rows that depend on a CTE alone are found on the workers, which get a copy of it, if they are grouped by poll. */
function isLookup(
  { query, tables }: Level,
  { asked, outer }: { asked: readonly Column[]; outer: readonly Level[] },
  placement: Placement,
): boolean {
  const grouped = listOf(query.fields['targetList']).flatMap(({ fields }) => {
    const column = fields['ressortgroupref'] === '0' || !isNode(fields['expr']) ? null : columnUnder(fields['expr'])
    return column ? [column] : []
  })
  return (
    listOf(query.fields['groupClause']).length > 0 &&
    grouped.some((column) => column.up === 0 && isKey(column, tables, placement)) &&
    asked.every(({ table, up }) => outer[up - 1]?.tables[Number(table) - 1]?.fields['rtekind'] === CTE)
  )
}

interface Column {
  readonly table: string
  readonly column: number
  /** How many queries further out the table is. */
  readonly up: number
}

const columnOf = ({ fields }: TreeNode): Column => ({
  table: String(fields['varno']),
  column: Number(fields['varattno']),
  up: Number(fields['varlevelsup']),
})

/** The pairs of columns that the query compares for equality, at its own level. */
function equalities(query: TreeNode): [Column, Column][] {
  return ownNodes(query).flatMap((node) => {
    if (node.kind !== 'OPEXPR' || !EQUALS.has(String(node.fields['opno']))) return []
    const [left, right] = listOf(node.fields['args']).map(columnUnder)
    return left && right ? [[left, right] as [Column, Column]] : []
  })
}

/** The operators `=` of bigint, and of bigint and integer. */
const EQUALS = new Set(['410', '416', '15'])

const columnUnder = (node: TreeNode): Column | null => {
  if (node.kind === 'VAR') return columnOf(node)
  const inner =
    node.kind === 'FUNCEXPR' || node.kind === 'RELABELTYPE' ? (node.fields['args'] ?? node.fields['arg']) : null
  const [only] = isNode(inner ?? null) ? [inner as TreeNode] : listOf(inner ?? null)
  return only ? columnUnder(only) : null
}

/** Columns of outer queries that the query or one within it uses. `up` is counted from the query. */
function outerColumns(query: TreeNode, depth = 0): Column[] {
  const own = ownNodes(query)
    .filter(({ kind }) => kind === 'VAR')
    .map(columnOf)
    .filter(({ up }) => up > depth)
    .map((column) => ({ ...column, up: column.up - depth }))
  return [...own, ...childQueries(query).flatMap(({ child }) => outerColumns(child, depth + 1))]
}

type Test = (table: TreeNode, placement: Placement) => boolean

const isDistributed: Test = (table, { distributed }) =>
  isRelation(table) && distributed.has(String(table.fields['relid']))
const isOnCoordinator: Test = (table, placement) =>
  isRelation(table) && !isDistributed(table, placement) && !placement.reference.has(String(table.fields['relid']))
const isRelation = ({ fields }: TreeNode): boolean => fields['rtekind'] === RELATION && fields['relkind'] === 'r'

/** Whether the query or one within it reads such a table. What a CTE reads is not there any more. */
function touches(query: TreeNode, test: Test, placement: Placement): boolean {
  return (
    listOf(query.fields['rtable']).some((table) => test(table, placement)) ||
    childQueries(query).some(({ child, isAlone }) => !isAlone && touches(child, test, placement))
  )
}

const keyColumn = (table: TreeNode | undefined, { distributed }: Placement): number =>
  distributed.get(String(table?.fields['relid'])) ?? Number.NaN
const isKeyOf = ({ column }: Column, table: TreeNode, placement: Placement): boolean =>
  keyColumn(table, placement) === column
const isKey = (column: Column, tables: readonly TreeNode[], placement: Placement): boolean => {
  const table = tables[Number(column.table) - 1]
  return table !== undefined && isKeyOf(column, table, placement)
}

const listOf = (value: TreeValue | undefined): TreeNode[] => (Array.isArray(value) ? value.filter(isNode) : [])

interface Child {
  readonly child: TreeNode
  /** A CTE is computed by itself, before the rest. */
  readonly isAlone: boolean
}

function childQueries(query: TreeNode): Child[] {
  const found: Child[] = []
  walk(query, {
    onQuery: (child, parent) => void found.push({ child, isAlone: parent.kind === 'COMMONTABLEEXPR' }),
  })
  return found
}

function ownNodes(query: TreeNode): TreeNode[] {
  const found: TreeNode[] = []
  walk(query, { onNode: (node) => void found.push(node) })
  return found
}

interface Visitor {
  readonly onNode?: (node: TreeNode) => void
  readonly onQuery?: (query: TreeNode, parent: TreeNode) => void
}

/** Visits the nodes of a query, but not those of the queries within it. */
function walk(node: TreeNode, { onNode, onQuery }: Visitor): void {
  const visit = (value: TreeValue | undefined, parent: TreeNode): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, parent)
      return
    }
    if (!isNode(value ?? null)) return
    const found = value as TreeNode
    if (found.kind === 'QUERY') {
      onQuery?.(found, parent)
      return
    }
    onNode?.(found)
    for (const field of Object.values(found.fields)) visit(field, found)
  }
  for (const field of Object.values(node.fields)) visit(field, node)
}
