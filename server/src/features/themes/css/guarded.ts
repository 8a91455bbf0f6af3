import type { CssNode, Declaration } from 'css-tree'
import { borders, boxes } from './guarded-boxes.ts'
import { columns, light, measures, moves } from './guarded-measures.ts'
import type { Reader, Setting } from './setting.ts'

const READERS: readonly Reader[] = [boxes, borders, measures, moves, light, columns]

/**
 * Where a choice must stay in place, embed/src/styles/integrity*.css takes measures from properties of ours, and clamps
 * them. So what a brand writes in ordinary words is written a second time, under those names.
 */
export function guardedSettings({ property, value }: Declaration): readonly Setting[] {
  if (value.type === 'Raw') return []
  const parts = value.children.toArray().filter(isPart)
  return READERS.flatMap((read) => read(property.toLowerCase(), parts))
}

const isPart = ({ type }: CssNode): boolean => type !== 'WhiteSpace' && type !== 'Comment' && type !== 'Operator'
