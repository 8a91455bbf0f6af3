import type { CssNode, Declaration } from 'css-tree'
import generate from 'css-tree/generator'
import { checkFonts } from './check-fonts.ts'
import type { Problems } from './problems.ts'
import { isKnownProperty } from './vocabulary.ts'

/** Our own properties: the integrity rules clamp them, and only this service writes them. */
const RESERVED = '--tossup-'

export function checkDeclaration(node: Declaration, problems: Problems): void {
  const property = node.property.toLowerCase()
  const isOwn = property.startsWith('--')
  checkName(node, property, problems)
  if (typeof node.important === 'string' && node.important.toLowerCase() !== 'important') {
    problems.addAt(node, 'css_syntax', `Syntax error: unknown !${node.important}.`)
  }
  if (node.value.type === 'Raw' || (node.value.children.isEmpty && !isOwn)) {
    problems.addAt(node.value, 'css_syntax', 'Syntax error: expected a value.')
    return
  }
  checkParts(node.value, problems)
  checkKeywords(property, node.value, problems)
  if (isOwn || /^font(-family)?$/.test(property)) checkFonts(node.value, problems)
}

function checkName(node: Declaration, property: string, problems: Problems): void {
  if (property.startsWith(RESERVED)) {
    problems.addAt(
      node,
      'css_reserved',
      `Names that begin with ${RESERVED} are read-only: set the CSS property itself.`,
    )
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
  if (!PARTS.has(node.type)) problems.addAt(node, 'css_value', 'Unknown syntax in a value.')
  else if ('children' in node) for (const child of node.children ?? []) checkParts(child, problems)
}

interface Choice {
  readonly isAllowed: (word: string) => boolean
  readonly message: string
}

const NOT_REVERSED: Choice = {
  isAllowed: (word) => !word.endsWith('-reverse'),
  message: 'Reversed orders are not allowed: the choices keep their order.',
}

/** Properties in which one word decides whether an option stays in place. No var(): it could stand for any word. */
const CHOICES: Readonly<Record<string, Choice>> = {
  position: {
    isAllowed: (word) => /^(static|relative|absolute|inherit|initial|unset)$/.test(word),
    message: 'position must be static, relative or absolute.',
  },
  content: {
    isAllowed: (word) => /^(""|''|none|normal)$/.test(word),
    message: 'content must be "" or none: a stylesheet cannot add text to a poll.',
  },
  display: {
    isAllowed: (word) => word !== 'contents',
    message: 'contents is not allowed: each part of a poll keeps its box.',
  },
  'flex-direction': NOT_REVERSED,
  'flex-flow': NOT_REVERSED,
  'flex-wrap': NOT_REVERSED,
  'grid-auto-flow': {
    isAllowed: (word) => word !== 'dense',
    message: 'dense is not allowed: the choices keep their order.',
  },
}

function checkKeywords(property: string, value: CssNode, problems: Problems): void {
  const choice = Object.hasOwn(CHOICES, property) ? CHOICES[property] : undefined
  if (!choice || !('children' in value)) return
  for (const part of value.children ?? []) {
    const word = generate(part).toLowerCase()
    if (part.type === 'Function') problems.addAt(part, 'css_value', `${property} must not use ${word.split('(')[0]}().`)
    else if (!choice.isAllowed(word)) problems.addAt(part, 'css_value', choice.message)
  }
}
