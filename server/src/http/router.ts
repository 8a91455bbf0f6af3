import { memoise } from '../base/cache.ts'
import { copied } from '../base/text.ts'

export interface Match<Handler> {
  readonly methods: ReadonlyMap<string, Handler>
  /** One object for all requests of the same path. */
  readonly params: Readonly<Record<string, string>>
}

interface Entry<Handler> {
  readonly method: string
  readonly path: string
  readonly handler: Handler
}

interface Node<Handler> {
  readonly literals: Map<string, Node<Handler>>
  parameter: { readonly name: string; readonly node: Node<Handler>; readonly isRest: boolean } | null
  readonly methods: Map<string, Handler>
}

const newNode = <Handler>(): Node<Handler> => ({ literals: new Map(), parameter: null, methods: new Map() })

/**
 * Matches the path first and the method second, to distinguish 404 from 405. A literal segment hides a parameter in the
 * same place: below /brands/me nothing is ever read as a brand with the name "me". A last segment such as `{tilePath}`, whose
 * name ends in `Path`, takes all segments that are left.
 */
export function createRouter<Handler>(entries: readonly Entry<Handler>[]): (path: string) => Match<Handler> | null {
  const root = newNode<Handler>()
  for (const { method, path, handler } of entries) {
    const node = path.split('/').slice(1).reduce(childFor, root)
    if (node.methods.has(method)) throw new Error(`${method} ${path} is registered twice`)
    node.methods.set(method, handler)
  }
  return memoise((path) => find(root, path), isFound)
}

const isFound = (match: Match<unknown> | null): boolean => match !== null

function childFor<Handler>(node: Node<Handler>, segment: string): Node<Handler> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name !== undefined) {
    node.parameter ??= { name, node: newNode(), isRest: name.endsWith('Path') }
    if (node.parameter.name !== name)
      throw new Error(`{${name}} and {${node.parameter.name}} are at the same position of a path`)
    return node.parameter.node
  }
  const child = node.literals.get(segment) ?? newNode<Handler>()
  node.literals.set(segment, child)
  return child
}

function find<Handler>(root: Node<Handler>, path: string): Match<Handler> | null {
  let node = root
  const params: Record<string, string> = {}
  for (let start = 1; start <= path.length; ) {
    const end = endOfSegment(path, start)
    const segment = path.slice(start, end)
    const literal: Node<Handler> | undefined = node.literals.get(segment)
    const { parameter } = node
    if (literal) node = literal
    else if (!parameter || segment === '') return null
    else {
      params[parameter.name] = copied(parameter.isRest ? path.slice(start) : decode(segment))
      node = parameter.node
    }
    start = !literal && parameter?.isRest ? path.length + 1 : end + 1
  }
  return node.methods.size > 0 ? { methods: node.methods, params } : null
}

function endOfSegment(path: string, start: number): number {
  const slash = path.indexOf('/', start)
  return slash < 0 ? path.length : slash
}

/** Text that cannot be decoded is kept as it is, and then refused by the parameter's schema. */
function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
