import type { CssNode, PseudoClassSelector, Selector } from 'css-tree'
import generate from 'css-tree/generator'
import { ROOT } from '../../../../../../embed/src/theme/layers.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

export const PARTS =
  words(`poll brand logo title options option option-a option-b has-picture is-leader frame picture label
  result bar fill share mark foot status watermark`)
export const ATTRIBUTES = words(`aria-pressed aria-disabled data-option data-state data-scheme data-radius data-density
  data-font data-label data-align data-elevation`)
const PSEUDO_CLASSES = words('hover active focus focus-visible focus-within first-child last-child')
const WITH_SELECTORS = words('is not')
const WITH_WORD = words('lang dir')
export const ALL_PSEUDO_CLASSES = [...PSEUDO_CLASSES, ...WITH_SELECTORS, ...WITH_WORD]

/** The outermost part of a poll that a brand may style; the root around it is ours. */
const POLL = '.poll'
/** A stylesheet cannot reach anything outside a poll, so these names select the poll itself. */
const OUTER = /^(:root|:host|html|body)$/i
const BESIDE = 'Selectors cannot match outside the poll: :root, html, body, :host and .tossup take a space after them.'

export class SelectorRefused extends Error {
  readonly node: CssNode

  constructor(node: CssNode, message: string) {
    super(message)
    this.node = node
  }
}

interface Compound {
  /** Empty for the first one. */
  readonly combinator: string
  readonly nodes: CssNode[]
}

/** The selector as it is served: it cannot match anything outside a poll. */
export function scopedSelector(selector: Selector): string {
  const compounds = compoundsOf(selector)
  while (compounds[0]?.nodes.length === 1 && compounds[0].nodes.some(isOuter)) {
    compounds.shift()
    assertInside(compounds[0], selector)
  }
  const isFromRoot = compounds[0]?.nodes.some(isRoot) ?? false
  if (isFromRoot) assertInside(compounds[1], selector)
  const text = compounds.map(({ combinator, nodes }, i) => {
    const simple = nodes.map((node) => (i === 0 && isRoot(node) ? ROOT : textOf(node))).join('')
    return i === 0 ? simple : combinator + simple
  })
  const head = isFromRoot ? [] : [ROOT, ' ']
  const tail = compounds.length === (isFromRoot ? 1 : 0) ? [isFromRoot ? ' ' : '', POLL] : []
  return [...head, ...text, ...tail].join('')
}

function compoundsOf({ children }: Selector): Compound[] {
  const compounds: Compound[] = [{ combinator: '', nodes: [] }]
  for (const node of children) {
    const current = compounds.at(-1)
    if (node.type !== 'Combinator') current?.nodes.push(node)
    else if (current?.nodes.length === 0 || node === children.last)
      throw new SelectorRefused(node, `${node.name} must stand between two selectors.`)
    else if (/^[ +~]$/.test(node.name)) compounds.push({ combinator: node.name, nodes: [] })
    else throw new SelectorRefused(node, `${node.name} is not allowed. Allowed combinators: the space, + and ~.`)
  }
  return compounds
}

function assertInside(next: Compound | undefined, selector: Selector): void {
  if (next && next.combinator !== ' ') throw new SelectorRefused(selector, BESIDE)
}

const isOuter = (node: CssNode): boolean => OUTER.test(generate(node))
const isRoot = (node: CssNode): boolean => node.type === 'ClassSelector' && `.${node.name}` === ROOT

function textOf(node: CssNode): string {
  const text = node.type === 'PseudoClassSelector' ? pseudoClassText(node) : isPartOrState(node) && generate(node)
  if (text) return text
  throw new SelectorRefused(node, refusalOf(node))
}

function isPartOrState(node: CssNode): boolean {
  if (node.type === 'ClassSelector') return PARTS.has(node.name)
  if (node.type !== 'AttributeSelector' || node.flags) return false
  return ATTRIBUTES.has(node.name.name.toLowerCase()) && /^~?=$/.test(node.matcher ?? '=')
}

function pseudoClassText(node: PseudoClassSelector): string {
  const name = node.name.toLowerCase()
  const [argument] = node.children ?? []
  if (PSEUDO_CLASSES.has(name)) return node.children ? '' : `:${name}`
  if (WITH_WORD.has(name)) return argument?.type === 'Identifier' ? `:${name}(${argument.name})` : ''
  if (!WITH_SELECTORS.has(name) || argument?.type !== 'SelectorList' || argument.children.isEmpty) return ''
  return `:${name}(${argument.children.toArray().map(compoundText).join(',')})`
}

function compoundText(selector: CssNode): string {
  const [compound, ...more] = selector.type === 'Selector' ? compoundsOf(selector) : []
  if (!compound || more.length > 0)
    throw new SelectorRefused(selector, ':is() and :not() take selectors without spaces.')
  return compound.nodes.map(textOf).join('')
}

const listed = (names: Iterable<string>, prefix = ''): string => [...names].map((name) => prefix + name).join(' ')

function refusalOf(node: CssNode): string {
  if (isOuter(node) || isRoot(node)) return BESIDE
  const text = generate(node)
  if (node.type === 'AttributeSelector')
    return `${text} is not allowed. Allowed attributes, with = or ~=: ${listed(ATTRIBUTES)}.`
  if (node.type === 'PseudoClassSelector' || node.type === 'PseudoElementSelector')
    return `${text} is not allowed. Allowed pseudo-classes: ${listed(ALL_PSEUDO_CLASSES, ':')}.`
  return `${text} is no part of a poll. The parts: ${listed(PARTS, '.')}.`
}
