import type { CssNode, Declaration } from 'css-tree'
import type { CustomProperty, Reader } from './custom-property.ts'
import { borders, boxes } from './guarded-boxes.ts'
import { columns, light, measures, moves } from './guarded-measures.ts'

const READERS: readonly Reader[] = [boxes, borders, measures, moves, light, columns]

/**
 * Copies measures into custom properties of ours. To keep options in place, embed/src/styles/integrity*.css reads the
 * measures from these properties and clamps them, so each one that a brand writes is written a second time under our name.
 */
export function guardedSettings({ property, value }: Declaration): readonly CustomProperty[] {
  if (value.type === 'Raw') return []
  const parts = value.children.toArray().filter(isPart)
  return READERS.flatMap((read) => read(property.toLowerCase(), parts))
}

const isPart = ({ type }: CssNode): boolean => type !== 'WhiteSpace' && type !== 'Comment' && type !== 'Operator'
