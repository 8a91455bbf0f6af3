import type { CssNode } from 'css-tree'
import { type CustomProperty, lengthOf, type Reader, textOf } from './custom-property.ts'

const SIDES: Readonly<Record<string, readonly string[]>> = {
  '': ['top', 'right', 'bottom', 'left'],
  '-block': ['top', 'bottom'],
  '-inline': ['left', 'right'],
  '-top': ['top'],
  '-right': ['right'],
  '-bottom': ['bottom'],
  '-left': ['left'],
  '-block-start': ['top'],
  '-block-end': ['bottom'],
  '-inline-start': ['left'],
  '-inline-end': ['right'],
}

/** Expands one to four values as CSS does: a missing side takes the value of the opposite side, then the first value. */
function spread(sides: readonly string[], values: readonly string[]): [side: string, value: string][] {
  if (values.length > sides.length) return []
  return sides.flatMap((side, i) => {
    const value = values[i] ?? values[i - 2] ?? values[0]
    return value === undefined ? [] : [[side, value]]
  })
}

export const boxes: Reader = (property, parts) => {
  const [, box, rest = ''] = /^(padding|margin)(.*)$/.exec(property) ?? []
  const sides = box && SIDES[rest]
  return sides ? spread(sides, parts.map(sideOf)).map(([side, value]): CustomProperty => [`${box}-${side}`, value]) : []
}

/** `auto` cannot be clamped, and would make the declaration of all four sides invalid. */
const sideOf = (node: CssNode): string => (textOf(node).toLowerCase() === 'auto' ? '0px' : lengthOf(node))

export const borders: Reader = (property, parts) => {
  const [, rest, isOnlyWidth] = /^border(|-[a-z-]+?)(-width)?$/.exec(property) ?? []
  const sides = rest === undefined ? undefined : SIDES[rest]
  if (!sides) return []
  const widths = isOnlyWidth ? parts.map(widthOf) : [widthIn(parts)]
  return spread(sides, widths).map(([side, value]): CustomProperty => [`border-${side}-width`, value])
}

const WORDS: Readonly<Record<string, string>> = { thin: '1px', medium: '3px', thick: '5px' }
const NO_BORDER = /^(none|hidden|inherit|initial|unset|revert|revert-layer)$/

const widthOf = (node: CssNode): string => WORDS[textOf(node)] ?? lengthOf(node)

/** The width within a shorthand. A function such as var() counts as the width only if it comes first. */
function widthIn(parts: readonly CssNode[]): string {
  const width = parts.find(isWidth) ?? parts.slice(0, 1).find(({ type }) => type === 'Function')
  if (width) return widthOf(width)
  return parts.some((part) => NO_BORDER.test(textOf(part))) ? '0px' : '3px'
}

const isWidth = (node: CssNode): boolean =>
  node.type === 'Dimension' ||
  textOf(node) === '0' ||
  textOf(node) in WORDS ||
  (node.type === 'Function' && /^(calc|min|max|clamp)$/i.test(node.name))
