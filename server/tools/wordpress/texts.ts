import type { Message } from './po.ts'

const STRING = "'((?:[^'\\\\]|\\\\.)*)'"
const DOMAIN = "'tossup-polls'"
const SINGLE = new RegExp(`\\b(?:esc_(?:html|attr))?_[_e]\\(\\s*${STRING},\\s*${DOMAIN}`, 'g')
const HINT = /\/\* translators: (.+?) \*\/\s*[^\n]*$/

const textOf = (literal: string): string => literal.replaceAll(/\\(.)/g, '$1')

/** The texts of the plugin's sources, by their paths within the plugin. */
export function textsIn(sources: ReadonlyMap<string, string>): Message[] {
  const messages = new Map<string, Message>()
  for (const [file, source] of sources) {
    for (const found of textsOfFile(file, source)) {
      const key = `${found.context ?? ''}\u0004${found.id}`
      const known = messages.get(key)
      messages.set(key, known ? { ...found, ...known, files: [...new Set([...known.files, file])] } : found)
    }
  }
  return [...messages.values()]
}

function textsOfFile(file: string, source: string): Message[] {
  if (file.endsWith('block.json')) return blockTexts(file, JSON.parse(source))
  if (!/\.(?:php|js)$/.test(file)) return []
  const headers = [...source.matchAll(/^ \* (?:Plugin Name|Description): +(.+)$/gm)]
  const texts = [...headers, ...source.matchAll(SINGLE)]
  return texts.map(({ 1: id = '', index }) => {
    const hint = HINT.exec(source.slice(Math.max(0, index - 160), index))?.[1]
    return { id: textOf(id), files: [file], ...(hint === undefined ? {} : { hint }) }
  })
}

interface BlockTexts {
  readonly title: string
  readonly description: string
  readonly keywords: readonly string[]
}

/** WordPress looks them up in these contexts. */
const blockTexts = (file: string, { title, description, keywords }: BlockTexts): Message[] => [
  { context: 'block title', id: title, files: [file] },
  { context: 'block description', id: description, files: [file] },
  ...keywords.map((id) => ({ context: 'block keyword', id, files: [file] })),
]
