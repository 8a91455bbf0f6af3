import { createHash } from 'node:crypto'

interface Sources {
  /** Hashes of the page's inline styles and scripts. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
  /** Our own origins: the page may have been requested by another name. */
  readonly origins: readonly string[]
  /** Null allows any host: `*` would exclude pages opened from a file. */
  readonly frameAncestors: readonly string[] | null
}

export const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page runs and loads only what the policy names. */
export function contentPolicy({ styleHashes, scriptHashes, origins, frameAncestors }: Sources): string {
  const own = ["'self'", ...new Set(origins)].join(' ')
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scriptHashes].join(' ')}`,
    `style-src ${[own, ...styleHashes].join(' ')}`,
    // An empty icon where the brand has none, or the browser would request one.
    `img-src ${own} data:`,
    `font-src ${own}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(frameAncestors ? [`frame-ancestors ${frameAncestors.join(' ')}`] : []),
  ].join('; ')
}
