import { createHash } from 'node:crypto'

interface Sources {
  /** The styles that stand in the page itself, to the letter. */
  readonly styles: readonly string[]
  /** Origins of ours, where the page may have come by another name. */
  readonly origins: readonly string[]
  /** Null is anybody: `*` would keep out pages that were opened from a file. */
  readonly frameAncestors: readonly string[] | null
}

/** Nothing runs and nothing is loaded but what is named here. */
export function contentPolicy({ styles, origins, frameAncestors }: Sources): string {
  const own = ["'self'", ...new Set(origins)].join(' ')
  const hashes = styles.map((css) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`)
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${[own, ...hashes].join(' ')}`,
    // An empty picture is the icon of who has none: a browser would ask for one.
    `img-src ${own} data:`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(frameAncestors ? [`frame-ancestors ${frameAncestors.join(' ')}`] : []),
  ].join('; ')
}
