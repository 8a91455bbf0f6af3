import type { CssNode, Selector } from 'css-tree'
import generate from 'css-tree/generator'
import { ROOT } from '../../../../../embed/src/layers.ts'
import { OUTER_WORDS } from './vocabulary.ts'

const ROOT_CLASS = ROOT.slice(1)
/** The outermost part of a poll that a brand may style; the root around it is ours. */
const POLL = '.poll'

interface Scope {
  /** The selector relative to the poll; empty if it selects the poll itself. */
  readonly inner: readonly CssNode[]
  /** Begins with the root itself, possibly in a certain state. */
  readonly isFromRoot: boolean
  readonly refusal: string | null
}

/** `:root`, `html`, `body`, `:host` and the root's own class all select the poll. */
export function scopeOf({ children }: Selector): Scope {
  const compounds = compoundsOf([...children])
  while (compounds[0] && compounds[0].nodes.length === 1 && isOuterWord(compounds[0].nodes[0])) {
    const [outer] = compounds.splice(0, 1)
    if (compounds.length > 0 && outer?.combinator !== ' ') return { inner: [], isFromRoot: false, refusal: BESIDE }
  }
  const [first] = compounds
  const isFromRoot = first?.nodes.some(isRootClass) ?? false
  if (first && isFromRoot) {
    if (compounds.length > 1 && first.combinator !== ' ') return { inner: [], isFromRoot, refusal: BESIDE }
    if (first.nodes.some(isPseudoElement)) return { inner: [], isFromRoot, refusal: ROOT_ITSELF }
  }
  const inner = compounds.flatMap(({ nodes, combinatorNode }) => [
    ...nodes,
    ...(combinatorNode ? [combinatorNode] : []),
  ])
  return { inner, isFromRoot, refusal: null }
}

const BESIDE = 'This reaches beside the poll.'
const ROOT_ITSELF = `${ROOT} itself is not styled: ${POLL} is.`

/** The selector, scoped so that it cannot match anything outside a poll. */
export function scopedSelector(selector: Selector): string {
  const { inner, isFromRoot } = scopeOf(selector)
  const text = inner.map((node) => generate(node)).join('')
  if (text === '') return `${ROOT} ${POLL}`
  if (!isFromRoot) return `${ROOT} ${text}`
  return inner.some(({ type }) => type === 'Combinator') ? text : `${text} ${POLL}`
}

export function isOuterWord(node: CssNode | undefined): boolean {
  if (node?.type === 'TypeSelector') return OUTER_WORDS.has(node.name.toLowerCase())
  return node?.type === 'PseudoClassSelector' && OUTER_WORDS.has(`:${node.name.toLowerCase()}`)
}

const isRootClass = (node: CssNode): boolean => node.type === 'ClassSelector' && node.name === ROOT_CLASS

const isPseudoElement = (node: CssNode): boolean =>
  node.type === 'PseudoElementSelector' || (node.type === 'PseudoClassSelector' && /^(before|after)$/i.test(node.name))

interface Compound {
  readonly nodes: CssNode[]
  combinator: string | null
  combinatorNode: CssNode | null
}

function compoundsOf(nodes: readonly CssNode[]): Compound[] {
  const compounds: Compound[] = [{ nodes: [], combinator: null, combinatorNode: null }]
  for (const node of nodes) {
    const last = compounds.at(-1)
    if (node.type !== 'Combinator') last?.nodes.push(node)
    else {
      if (last) {
        last.combinator = node.name
        last.combinatorNode = node
      }
      compounds.push({ nodes: [], combinator: null, combinatorNode: null })
    }
  }
  return compounds
}
