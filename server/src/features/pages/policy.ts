import { createHash } from 'node:crypto'

interface Sources {
  /** Of the styles and scripts that stand in the page itself, to the letter. */
  readonly styleHashes: readonly string[]
  readonly scriptHashes: readonly string[]
  /** Origins of ours, where the page may have come by another name. */
  readonly origins: readonly string[]
  /** Null is anybody: `*` would keep out pages that were opened from a file. */
  readonly frameAncestors: readonly string[] | null
}

export const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing runs and nothing is loaded but what is named here. */
export function contentPolicy({ styleHashes, scriptHashes, origins, frameAncestors }: Sources): string {
  const own = ["'self'", ...new Set(origins)].join(' ')
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scriptHashes].join(' ')}`,
    `style-src ${[own, ...styleHashes].join(' ')}`,
    // An empty picture is the icon of who has none: a browser would ask for one.
    `img-src ${own} data:`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(frameAncestors ? [`frame-ancestors ${frameAncestors.join(' ')}`] : []),
  ].join('; ')
}
