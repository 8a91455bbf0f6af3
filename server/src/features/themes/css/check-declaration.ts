import type { CssNode, Declaration } from 'css-tree'
import generate from 'css-tree/generator'
import type { Problems } from './problems.ts'
import { isKnownProperty } from './vocabulary.ts'

/** Our own names: they are clamped by the rules that keep a poll honest, and written by this service alone. */
const RESERVED = '--tossup-'

export function checkDeclaration(node: Declaration, problems: Problems): void {
  const property = node.property.toLowerCase()
  const isOwn = property.startsWith('--')
  checkName(node, property, problems)
  if (typeof node.important === 'string' && node.important.toLowerCase() !== 'important') {
    problems.addAt(node, 'css_syntax', `This does not parse: !${node.important} is not known.`)
  }
  if (node.value.type === 'Raw' || (node.value.children.isEmpty && !isOwn)) {
    problems.addAt(node.value, 'css_syntax', 'This does not parse: a value is expected.')
    return
  }
  checkParts(node.value, problems)
  checkKeywords(property, node.value, problems)
  if (isOwn || /^font(-family)?$/.test(property)) checkFonts(node.value, problems)
}

function checkName(node: Declaration, property: string, problems: Problems): void {
  if (property.startsWith(RESERVED)) {
    problems.addAt(node, 'css_reserved', `Names that begin with ${RESERVED} are ours: set the property itself.`)
  } else if (!property.startsWith('--') && !isKnownProperty(property)) {
    problems.addAt(node, 'css_property', `${node.property} is not on the list of properties.`)
  }
}

const PARTS = new Set(
  'Value Dimension Percentage Number Identifier String Function Parentheses Brackets Operator Hash WhiteSpace Comment'.split(
    ' ',
  ),
)

function checkParts(node: CssNode, problems: Problems): void {
  if (!PARTS.has(node.type)) problems.addAt(node, 'css_value', 'This is not known in a value.')
  else if ('children' in node) for (const child of node.children ?? []) checkParts(child, problems)
}

interface Choice {
  readonly isAllowed: (word: string) => boolean
  readonly message: string
}

const NOT_REVERSED: Choice = {
  isAllowed: (word) => !word.endsWith('-reverse'),
  message: 'A reversed order is refused: the choices stay in theirs.',
}

/** Where one word decides whether a choice stays in its place. No var() here: it could stand for any word. */
const CHOICES: Readonly<Record<string, Choice>> = {
  position: {
    isAllowed: (word) => /^(static|relative|absolute|inherit|initial|unset)$/.test(word),
    message: 'position takes static, relative or absolute.',
  },
  content: {
    isAllowed: (word) => /^(""|''|none|normal)$/.test(word),
    message: 'content takes "" or none: the words of a poll are its own.',
  },
  display: {
    isAllowed: (word) => word !== 'contents',
    message: 'contents is refused: each part of a poll keeps its box.',
  },
  'flex-direction': NOT_REVERSED,
  'flex-flow': NOT_REVERSED,
  'flex-wrap': NOT_REVERSED,
  'grid-auto-flow': {
    isAllowed: (word) => word !== 'dense',
    message: 'dense is refused: the choices stay in their order.',
  },
}

function checkKeywords(property: string, value: CssNode, problems: Problems): void {
  const choice = Object.hasOwn(CHOICES, property) ? CHOICES[property] : undefined
  if (!choice || !('children' in value)) return
  for (const part of value.children ?? []) {
    const word = generate(part).toLowerCase()
    if (part.type === 'Function') problems.addAt(part, 'css_value', `${property} takes no ${word.split('(')[0]}().`)
    else if (!choice.isAllowed(word)) problems.addAt(part, 'css_value', choice.message)
  }
}

/** Fonts that many devices have and that show signs in place of letters. */
const SIGNS =
  /(^|[\s,"'])(wingdings( [23])?|webdings|zapf ?dingbats|marlett|segoe mdl2 assets|segoe fluent icons|bookshelf symbol 7|mt extra|ms outlook|ms reference specialty|bodoni ornaments|apple braille|adobe blank|lastresort)(["',]|$)|(^|,)\s*["']?symbol["']?\s*(,|$)/i

function checkFonts(value: CssNode, problems: Problems): void {
  if (SIGNS.test(generate(value)))
    problems.addAt(value, 'css_font', 'A font of signs is refused: the labels must stay readable.')
}
