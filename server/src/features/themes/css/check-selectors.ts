import type { CssNode, PseudoClassSelector, Selector, SelectorList } from 'css-tree'
import type { CssRule, Problems } from './problems.ts'
import { isOuterWord, scopeOf } from './scope.ts'
import { ATTRIBUTES, PSEUDO_CLASSES, PSEUDO_ELEMENTS, PSEUDO_FUNCTIONS } from './vocabulary.ts'

const COMBINATORS = new Set([' ', '+', '~'])

export function checkSelectors(list: SelectorList, problems: Problems): void {
  for (const selector of list.children) {
    if (selector.type !== 'Selector') problems.addAt(selector, 'css_syntax', 'Syntax error in the selector.')
    else if (areCombinatorsInPlace(selector, problems)) checkSelector(selector, problems)
  }
}

function checkSelector(selector: Selector, problems: Problems): void {
  const scope = scopeOf(selector)
  if (scope.refusal) problems.addAt(selector, 'css_outside', scope.refusal)
  for (const node of scope.inner) checkSimple(node, problems)
}

/** A combinator needs a compound selector before it: a leading one could reach outside the poll. */
function areCombinatorsInPlace({ children }: Selector, problems: Problems): boolean {
  let isAfterCombinator = true
  for (const node of children) {
    const isCombinator = node.type === 'Combinator'
    if (isCombinator && isAfterCombinator) {
      problems.addAt(node, 'css_selector', 'A selector must not begin with a combinator, or have two in a row.')
      return false
    }
    if (isCombinator && !COMBINATORS.has(node.name)) {
      problems.addAt(node, 'css_selector', `${node.name} is not allowed. Allowed combinators: the space, + and ~.`)
      return false
    }
    isAfterCombinator = isCombinator
  }
  const { last } = children
  if (isAfterCombinator && last)
    problems.addAt(last, 'css_syntax', 'Syntax error: the selector ends with a combinator.')
  return !isAfterCombinator
}

interface Refusal {
  readonly rule: CssRule
  readonly message: string
}

function checkSimple(node: CssNode, problems: Problems): void {
  const refusal = isOuterWord(node) ? OUTSIDE : refusalOf(node)
  if (refusal) problems.addAt(node, refusal.rule, refusal.message)
  if (node.type === 'PseudoClassSelector') for (const child of node.children ?? []) checkArgument(child, problems)
}

const OUTSIDE: Refusal = {
  rule: 'css_outside',
  message:
    'Selectors cannot match outside the poll. :root, html, body and :host mean the poll; use them alone, at the start.',
}

function refusalOf(node: CssNode): Refusal | null {
  switch (node.type) {
    case 'Combinator':
    case 'ClassSelector':
    case 'IdSelector':
      return null
    case 'TypeSelector':
      if (/^(\*|[a-z][a-z0-9-]*)$/i.test(node.name)) return null
      return { rule: 'css_selector', message: 'Namespaces are not allowed.' }
    case 'AttributeSelector':
      return attributeRefusal(node.name.name)
    case 'PseudoClassSelector':
      return isKnownPseudoClass(node) ? null : unknownPseudo(`:${node.name}`)
    case 'PseudoElementSelector':
      return PSEUDO_ELEMENTS.has(node.name.toLowerCase()) && !node.children ? null : unknownPseudo(`::${node.name}`)
    case 'NestingSelector':
      return { rule: 'css_nesting', message: '& is not allowed: write the whole selector.' }
    default:
      return { rule: 'css_selector', message: 'Unknown syntax in a selector.' }
  }
}

const attributeRefusal = (name: string): Refusal | null =>
  ATTRIBUTES.has(name.toLowerCase())
    ? null
    : {
        rule: 'css_attribute',
        message: `[${name}] is not on the list of attributes: what visitors type stays private.`,
      }

const unknownPseudo = (name: string): Refusal => ({
  rule: 'css_pseudo',
  message: `${name} is not on the list of pseudo-classes and pseudo-elements.`,
})

function isKnownPseudoClass({ name, children }: PseudoClassSelector): boolean {
  const known = name.toLowerCase()
  const isGiven = children?.some((child) => child.type !== 'SelectorList' || !child.children.isEmpty) ?? false
  if (PSEUDO_FUNCTIONS.has(known)) return isGiven
  return !children && (PSEUDO_CLASSES.has(known) || /^(before|after)$/.test(known))
}

/** The argument of a functional pseudo-class: a selector list or a word. */
function checkArgument(node: CssNode, problems: Problems): void {
  const list = node.type === 'Nth' ? node.selector : node
  if (list?.type === 'SelectorList') for (const selector of list.children) checkInner(selector, problems)
  else if (list && list.type !== 'Identifier' && list.type !== 'String') {
    problems.addAt(node, 'css_syntax', 'Syntax error in the argument of the pseudo-class.')
  }
}

function checkInner(selector: CssNode, problems: Problems): void {
  if (selector.type !== 'Selector' || !areCombinatorsInPlace(selector, problems)) return
  for (const node of selector.children) checkSimple(node, problems)
}
