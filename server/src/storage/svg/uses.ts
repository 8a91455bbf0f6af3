import { PictureRefused } from '../pictures/picture-refused.ts'
import type { CleanElement } from './clean.ts'

const MOST_SHOWN = 100_000

/** A used element may not contain `use`: a few nested `use` elements can draw a thousand million elements. */
export function checkUses(root: CleanElement): void {
  const found: Found = { weights: new Map(), named: new Map(), uses: [] }
  let shown = weigh(root, found).elements
  for (const use of found.uses) {
    const target = found.named.get(targetOf(use))
    const weight = target && found.weights.get(target)
    if (weight) shown += weight.hasUse ? Number.POSITIVE_INFINITY : weight.elements
  }
  if (shown > MOST_SHOWN)
    throw new PictureRefused('unsafe_svg', 'The <use> elements repeat too much, or refer to each other.')
}

interface Weight {
  elements: number
  hasUse: boolean
}

interface Found {
  readonly weights: Map<CleanElement, Weight>
  /** The first element with each id. */
  readonly named: Map<string, CleanElement>
  readonly uses: CleanElement[]
}

/** Visits each element once: counting again below each used element would cost depth times size. */
function weigh(element: CleanElement, found: Found): Weight {
  const id = element.attributes.get('id')
  if (id !== undefined && !found.named.has(id)) found.named.set(id, element)
  const weight = { elements: 1, hasUse: element.name === 'use' }
  if (weight.hasUse) found.uses.push(element)
  for (const child of element.children) {
    if (typeof child === 'string') continue
    const inner = weigh(child, found)
    weight.elements += inner.elements
    weight.hasUse ||= inner.hasUse
  }
  found.weights.set(element, weight)
  return weight
}

const targetOf = ({ attributes }: CleanElement): string =>
  (attributes.get('href') ?? attributes.get('xlink:href') ?? '').slice(1)
