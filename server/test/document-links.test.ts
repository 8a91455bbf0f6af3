import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Marked, type Token } from 'marked'
import { renderMarkdown } from '../tools/docs/markdown.ts'
import { DOCUMENTS, ROOT, readDocument } from './documents.ts'

interface Target {
  readonly href: string
  readonly isPicture: boolean
}

const marked = new Marked({ gfm: true })

/** Every token of a document, also those inside of others. */
function tokensOf(file: string): Token[] {
  const tokens: Token[] = []
  const collect = (token: Token) => {
    tokens.push(token)
  }
  void marked.walkTokens(marked.lexer(readDocument(file)), collect)
  return tokens
}

const targetsIn = (file: string): Target[] =>
  tokensOf(file).flatMap((token): Target[] => {
    if (token.type === 'link' || token.type === 'image')
      return [{ href: token.href, isPicture: token.type === 'image' }]
    if (token.type !== 'html') return []
    const sources = [...token.raw.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, href = '']) => href)
    return sources.map((href) => ({ href, isPicture: !href.endsWith('.md') }))
  })

const anchors = new Map<string, Set<string>>()

function anchorsIn(file: string): Set<string> {
  const known = anchors.get(file)
  if (known) return known
  const made = new Set(renderMarkdown(file, readDocument(file)).sections.map(({ id }) => id))
  anchors.set(file, made)
  return made
}

/** The fault of a link; undefined if it leads somewhere. */
function faultOf(file: string, { href }: Target): string | undefined {
  if (/^(?:https?:\/\/|mailto:)/.test(href)) return undefined
  const [path = '', anchor] = href.split('#', 2)
  const target = path === '' ? file : posix.join(posix.dirname(file), path)
  if (!existsSync(join(ROOT, target))) return `${file}: ${href} is no file`
  if (anchor === undefined) return undefined
  if (!target.endsWith('.md')) return `${file}: ${href} names a place in a file that has none`
  return anchorsIn(target).has(anchor) ? undefined : `${file}: ${target} has no heading for #${anchor}`
}

test('every link and every picture of the documents leads to a file and a heading that exist', () => {
  const all = DOCUMENTS.flatMap((file) => targetsIn(file).map((target) => ({ file, target })))
  expect(all.length).toBeGreaterThan(200)
  expect(all.filter(({ target }) => target.isPicture).length).toBeGreaterThan(25)
  expect(all.flatMap(({ file, target }) => faultOf(file, target) ?? [])).toEqual([])
})

test('every picture says what it shows', () => {
  const silent = DOCUMENTS.flatMap((file) =>
    tokensOf(file)
      .filter((token) => token.type === 'image' && token.text.trim() === '')
      .map(({ raw }) => `${file}: ${raw}`),
  )
  expect(silent).toEqual([])
})
