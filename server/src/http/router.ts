import type { ParamIndexMap, ParamStash, Params } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'

export interface Match<Handler> {
  readonly methods: ReadonlyMap<string, Handler>
  readonly params: Record<string, string>
}

interface Entry<Handler> {
  readonly method: string
  readonly path: string
  readonly handler: Handler
}

/** Finds a path first and its methods second, so that a wrong method is known from a wrong path. */
export function createRouter<Handler>(entries: readonly Entry<Handler>[]): (path: string) => Match<Handler> | null {
  const paths = Map.groupBy(entries, (entry) => entry.path)
  const router = new SmartRouter<ReadonlyMap<string, Handler>>({ routers: [new RegExpRouter(), new TrieRouter()] })
  // A literal path stands before one with a parameter in its place: /brands/me before /brands/{brandSlug}.
  const order = [...paths.keys()].sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
  for (const path of order) {
    const methods = new Map((paths.get(path) ?? []).map((entry) => [entry.method, entry.handler]))
    router.add('GET', path.replace(/\{(\w+)\}/g, ':$1'), methods)
  }
  return (path) => {
    const [found, stash] = router.match('GET', path) as [
      [ReadonlyMap<string, Handler>, Params | ParamIndexMap][],
      ParamStash | undefined,
    ]
    const [first] = found
    return first ? { methods: first[0], params: decodeParams(first[1], stash) } : null
  }
}

const rank = (path: string): string => path.replace(/\{\w+\}/g, '~')

function decodeParams(params: Params | ParamIndexMap, stash: ParamStash | undefined): Record<string, string> {
  const decoded: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) {
    decoded[name] = decode(typeof value === 'number' ? (stash?.[value] ?? '') : value)
  }
  return decoded
}

/** What cannot be decoded stays as it is, and is then refused by the schema of its parameter. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
