import type { CssNode } from 'css-tree'
import { lengthOf, type Reader, type Setting, textOf } from './setting.ts'

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

/** As CSS spreads one to four values: the one opposite stands in for what is not given, and the first for that. */
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
  return sides ? spread(sides, parts.map(sideOf)).map(([side, value]): Setting => [`${box}-${side}`, value]) : []
}

/** A word cannot be clamped, and would take the other three sides with it. */
const sideOf = (node: CssNode): string => (textOf(node).toLowerCase() === 'auto' ? '0px' : lengthOf(node))

export const borders: Reader = (property, parts) => {
  const [, rest, isOnlyWidth] = /^border(|-[a-z-]+?)(-width)?$/.exec(property) ?? []
  const sides = rest === undefined ? undefined : SIDES[rest]
  if (!sides) return []
  const widths = isOnlyWidth ? parts.map(widthOf) : [widthIn(parts)]
  return spread(sides, widths).map(([side, value]): Setting => [`border-${side}-width`, value])
}

const WORDS: Readonly<Record<string, string>> = { thin: '1px', medium: '3px', thick: '5px' }
const NO_BORDER = /^(none|hidden|inherit|initial|unset|revert|revert-layer)$/

const widthOf = (node: CssNode): string => WORDS[textOf(node)] ?? lengthOf(node)

/** Of a shorthand, the part that is the width. A variable is taken for it only where it stands first. */
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
