import { createHash } from 'node:crypto'
import { compactCss } from '../../../../embed/src/compact-css.ts'
import { type Asset, assetOf } from '../pages/assets/asset.ts'
import ranking from './docs-ranking.js' with { type: 'text' }
import script from './docs-script.js' with { type: 'text' }
import referenceScript from './reference/reference-script.js' with { type: 'text' }
import frame from './styles/frame.css' with { type: 'text' }
import home from './styles/home.css' with { type: 'text' }
import reference from './styles/reference.css' with { type: 'text' }
import text from './styles/text.css' with { type: 'text' }

export const DOCS_FILES = ['docs.css', 'docs.js', 'ranking.js', 'reference.js', 'search.json'] as const

export type DocsFile = (typeof DOCS_FILES)[number]

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
}

export const typeOfFile = (name: DocsFile): string => TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain'

const FIXED: Readonly<Record<string, string>> = {
  'docs.css': compactCss(text + frame + reference + home),
  'docs.js': script,
  'ranking.js': ranking,
  'reference.js': referenceScript,
}

const assets = new Map<string, Asset>()

/** The stylesheet and the scripts, which need no text of the docs. */
export function fixedFile(name: string): Asset {
  const known = assets.get(name) ?? assetOf(FIXED[name] ?? '')
  assets.set(name, known)
  return known
}

export const buildOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

const digests = new Map(Object.entries(FIXED).map(([name, text]) => [name, buildOf(text)]))

export const fixedAddress = (name: string): string => `/docs/files/${name}?build=${digests.get(name)}`
