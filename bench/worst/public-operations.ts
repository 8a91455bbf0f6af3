/** The catalogue of routes as the server publishes it: a new route is measured without an entry here. */
export interface Operation {
  readonly name: string
  readonly method: string
  /** With its prefix, and with parameters in braces. */
  readonly path: string
  readonly query: readonly string[]
  readonly hasBody: boolean
}

interface Described {
  readonly operationId?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: unknown
}

interface PathItem {
  readonly servers?: readonly { readonly url: string }[]
  readonly [method: string]: unknown
}

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Every operation that a caller without a key or token can reach, including those that refuse a wrong one. */
export function publicOperations(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const base = (item.servers ?? document.servers)[0]?.url.replace(/\/$/, '') ?? ''
    return METHODS.flatMap((method): Operation[] => {
      const described = item[method] as Described | undefined
      if (!described?.operationId || isOwners(described)) return []
      const query = (described.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
      const { operationId: name, requestBody } = described
      return [{ name, method: method.toUpperCase(), path: base + path, query, hasBody: requestBody !== undefined }]
    })
  })
}

/** Those that demand an access token or a session refuse a request without one before they read it. */
const isOwners = ({ security = [] }: Described): boolean =>
  security.length > 0 && security.every((schemes) => 'bearer' in schemes || 'session' in schemes)
