import type { CssNode } from 'css-tree'
import { type CustomProperty, lengthOf, type Reader, textOf } from './custom-property.ts'

const isMeasure = ({ type }: CssNode): boolean =>
  type === 'Dimension' || type === 'Percentage' || type === 'Number' || type === 'Function'

/** A percentage as a number, because the integrity rules clamp numbers. */
const amountOf = (node: CssNode): string =>
  node.type === 'Percentage' ? String(Number(node.value) / 100) : textOf(node)

interface Measure {
  readonly names: readonly string[]
  readonly read: (node: CssNode) => string
  /** The lengths that keywords stand for. */
  readonly words?: Readonly<Record<string, string>>
}

const HEIGHT: Measure = { names: ['min-height'], read: lengthOf, words: { auto: '0px' } }
const WIDTH: Measure = { names: ['max-width'], read: lengthOf, words: { none: '100%' } }
const NORMAL = { normal: '0px' }

const MEASURES: Readonly<Record<string, Measure>> = {
  height: HEIGHT,
  'min-height': HEIGHT,
  'block-size': HEIGHT,
  'min-block-size': HEIGHT,
  width: WIDTH,
  'max-width': WIDTH,
  'inline-size': WIDTH,
  'max-inline-size': WIDTH,
  'row-gap': { names: ['row-gap'], read: lengthOf, words: NORMAL },
  'column-gap': { names: ['column-gap'], read: lengthOf, words: NORMAL },
  gap: { names: ['row-gap', 'column-gap'], read: lengthOf, words: NORMAL },
  'letter-spacing': { names: ['letter-spacing'], read: lengthOf, words: NORMAL },
  opacity: { names: ['opacity'], read: amountOf },
  scale: { names: ['scale'], read: amountOf, words: { none: '1' } },
  rotate: { names: ['rotate'], read: textOf, words: { none: '0deg' } },
  translate: { names: ['translate-x', 'translate-y'], read: lengthOf, words: { none: '0px' } },
}

/** One value for each name. The second value of `gap` and `translate` is optional. */
export const measures: Reader = (property, parts) => {
  const measure = Object.hasOwn(MEASURES, property) ? MEASURES[property] : undefined
  if (!measure || parts.length > measure.names.length) return []
  const values = parts.map(
    (part) => measure.words?.[textOf(part)] ?? (isMeasure(part) ? measure.read(part) : undefined),
  )
  const rest = property === 'gap' ? values[0] : '0px'
  return measure.names.flatMap((name, i): CustomProperty[] => {
    const value = i < values.length ? values[i] : rest
    return value === undefined ? [] : [[name, value]]
  })
}

const STILL: readonly CustomProperty[] = [
  ['translate-x', '0px'],
  ['translate-y', '0px'],
  ['scale', '1'],
  ['rotate', '0deg'],
]

export const moves: Reader = (property, parts) =>
  /^(-webkit-)?transform$/.test(property) ? [...STILL, ...parts.flatMap(moveOf)] : []

function moveOf(node: CssNode): readonly CustomProperty[] {
  if (node.type !== 'Function') return []
  const [first, second] = node.children.toArray().filter(isMeasure)
  if (!first) return []
  switch (node.name.toLowerCase()) {
    case 'translate':
    case 'translate3d':
      return measures('translate', second ? [first, second] : [first])
    case 'translatex':
      return [['translate-x', lengthOf(first)]]
    case 'translatey':
      return [['translate-y', lengthOf(first)]]
    case 'scale':
      return measures('scale', [first])
    case 'rotate':
      return measures('rotate', [first])
    default:
      return []
  }
}

export const light: Reader = (property, parts) => {
  if (!/^(-webkit-)?filter$/.test(property)) return []
  const brightness = parts.find((part) => part.type === 'Function' && part.name.toLowerCase() === 'brightness')
  const amount = brightness?.type === 'Function' ? brightness.children.first : null
  return [['brightness', amount ? amountOf(amount) : '1']]
}

const BESIDE = '7rem'
const BELOW = '100%'

/** Whether the options are placed side by side or one below the other. */
export const columns: Reader = (property, parts) => {
  switch (property) {
    case 'flex-direction':
    case 'flex-flow':
      return [['choice-width', parts.some((part) => textOf(part).toLowerCase() === 'column') ? BELOW : BESIDE]]
    case 'grid-template-columns':
      return [['choice-width', isOneTrack(parts.filter(({ type }) => type !== 'Brackets')) ? BELOW : BESIDE]]
    default:
      return []
  }
}

const isOneTrack = ([only, ...more]: readonly CssNode[]): boolean =>
  more.length === 0 &&
  !(only?.type === 'Function' && only.name.toLowerCase() === 'repeat' && !/^repeat\(1,/.test(textOf(only)))
