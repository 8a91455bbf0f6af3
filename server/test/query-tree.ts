import type pg from 'pg'

/** A node of PostgreSQL's tree of a statement. */
export interface TreeNode {
  readonly kind: string
  readonly fields: Readonly<Record<string, TreeValue>>
}

export type TreeValue = string | null | TreeNode | readonly TreeValue[]

const TOKEN = /[(){}]|(?:\\[\s\S]|[^\\\s(){}])+/g

/** Reads the text that PostgreSQL writes of a tree (`debug_print_rewritten`). A field with several words is a list. */
function readTree(text: string): TreeValue {
  const tokens = text.match(TOKEN) ?? []
  let at = 0

  function value(): TreeValue {
    const token = tokens[at++] ?? ''
    if (token === '{') return node()
    if (token === '(') return list()
    return token === '<>' ? null : token.replaceAll(/\\([\s\S])/g, '$1')
  }

  function list(): TreeValue[] {
    const values: TreeValue[] = []
    while (at < tokens.length && tokens[at] !== ')') values.push(value())
    at++
    return values
  }

  function node(): TreeNode {
    const kind = tokens[at++] ?? ''
    const fields: Record<string, TreeValue> = {}
    while (at < tokens.length && tokens[at] !== '}') {
      const name = (tokens[at++] ?? '').slice(1)
      const values: TreeValue[] = []
      while (at < tokens.length && tokens[at] !== '}' && !tokens[at]?.startsWith(':')) values.push(value())
      fields[name] = values.length === 1 ? (values[0] ?? null) : values
    }
    at++
    return { kind, fields }
  }

  return value()
}

export const isNode = (value: TreeValue | undefined): value is TreeNode =>
  typeof value === 'object' && value !== null && 'kind' in value

const UTILITY = '6'

/** PostgreSQL's own reading of statements, with every name resolved and every view replaced by its query. */
export async function* treesOf(client: pg.Client, statements: Iterable<string>) {
  let printed: string[] = []
  const note = ({ detail }: { detail?: string | undefined }) => void printed.push(detail ?? '')
  client.on('notice', note)
  await client.query('set client_min_messages = log; set debug_pretty_print = off; set debug_print_rewritten = on')
  for (const statement of statements) {
    printed = []
    await client.query(`prepare judged as ${statement}`)
    const trees = printed.flatMap((text) => readTree(text)).filter(isNode)
    await client.query('deallocate judged')
    const tree = trees.find(({ kind, fields }) => kind === 'QUERY' && fields['commandType'] !== UTILITY)
    if (!tree) throw new Error(`PostgreSQL printed no tree of ${statement}`)
    yield { statement, tree }
  }
  client.off('notice', note)
  await client.query('reset client_min_messages; reset debug_pretty_print; reset debug_print_rewritten')
}
