import type { Route } from '../src/http/route.ts'

/** The error of the interface, or in the form of JSON-RPC, or of RFC 6749. */
type Said = { readonly error?: string | { readonly code: string; readonly data?: { readonly code: string } } }

/** The code of an answer with an error. */
export function codeOf(body: unknown): string | undefined {
  const { error } = body as Said
  return typeof error === 'string' ? error : (error?.data?.code ?? error?.code)
}

/** The name of an error of the interface at this route: RFC 6749 has names of its own. The router refuses a method before it knows the route. */
export function codeIn({ spec }: Route, { status, code }: { readonly status: number; readonly code: string }): string {
  if (!spec.path.startsWith('/oauth/') || !spec.refusal || code === 'METHOD_NOT_ALLOWED') return code
  return status >= 500 ? 'server_error' : 'invalid_request'
}
