import { PictureRefused } from '../pictures/picture-refused.ts'
import type { CleanElement } from './clean.ts'

const MOST_SHOWN = 100_000

/** A few `use` elements inside one another show a thousand million: what is used may not use anything itself. */
export function checkUses(root: CleanElement): void {
  const all = everyElement(root)
  const named = new Map(all.toReversed().map((element) => [element.attributes.get('id'), element]))
  const weights = new Map<CleanElement, number>()
  let shown = all.length
  for (const use of all.filter(isUse)) {
    const target = named.get(targetOf(use))
    if (!target) continue
    const weight = weights.get(target) ?? weightOf(target)
    weights.set(target, weight)
    shown += weight
  }
  if (shown > MOST_SHOWN) throw new PictureRefused('unsafe_svg', 'The elements <use> show too much, or one another.')
}

const isUse = ({ name }: CleanElement): boolean => name === 'use'

const targetOf = ({ attributes }: CleanElement): string =>
  (attributes.get('href') ?? attributes.get('xlink:href') ?? '').slice(1)

function weightOf(element: CleanElement): number {
  const inside = everyElement(element)
  return inside.some(isUse) ? Number.POSITIVE_INFINITY : inside.length
}

const everyElement = (element: CleanElement): CleanElement[] => [
  element,
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : everyElement(child))),
]
