import type { CssNode, Declaration, FunctionNode } from 'css-tree'
import generate from 'css-tree/generator'
import type { Problems } from './problems.ts'

/*
 * Paint must not look like a bar, a mark or a letter: no hard edge within a gradient, no piece of a background, no shadow far from its box.
 */

const GRADIENT = /^(?:linear|radial|conic)-gradient$/
const REPEATED = /^repeating-/
const MOST_LAYERS = 2
const MOST_SHADOWS = 4
/** Between two colours of a gradient, as a percentage: less would be an edge. */
const LEAST_BLEND = 25
const MOST_OFFSET = 32
/** Inside of its box a shadow could fill a part of it. */
const MOST_INSIDE = 8
const PIXELS: Readonly<Record<string, number>> = { px: 1, rem: 16, pt: 4 / 3 }
/** Letters have at most 3rem. */
const EM = 48

const SOFT =
  'A gradient takes two to five colours, at least 25 % apart, with an angle, a side or a shape: edges could be taken for a bar.'
const WHOLE = 'A background has at most two layers and fills its box: use auto, cover, contain or 100% as its size.'
const NEAR =
  'A shadow takes up to four layers, colours, and lengths in px, rem or em, without functions: 32px at most, 8px inside, letters half of that.'
const NO_BORDER_IMAGE = 'border-image is not allowed: use a border, or a gradient as the background.'

type Group = readonly CssNode[]

interface Use {
  readonly name: string
  readonly node: CssNode
  readonly isAllowed: (value: Group) => boolean
  readonly message?: string
}

/** Checks declarations one by one, and at the end what their custom properties stand for. */
export class Paint {
  readonly #problems: Problems
  readonly #uses: Use[] = []
  readonly #values = new Map<string, Group[]>()

  constructor(problems: Problems) {
    this.#problems = problems
  }

  check({ property, value }: Declaration): void {
    if (value.type === 'Raw') return
    const name = property.toLowerCase()
    const parts = partsOf(value)
    if (name.startsWith('--')) this.#keep(property, parts)
    this.#checkFunctions(parts)
    if (/^border-image/.test(name)) this.#refuse(value, NO_BORDER_IMAGE)
    else if (/^background(-image)?$/.test(name)) this.#checkLayers(value, parts)
    else if (name === 'background-size') this.#require(value, sizesFit(parts), WHOLE)
    else if (/^(-webkit-)?box-shadow$|^text-shadow$/.test(name)) this.#checkShadow(value, parts, name === 'text-shadow')
  }

  #keep(property: string, parts: Group): void {
    const values = this.#values.get(property)
    if (values) values.push(parts)
    else this.#values.set(property, [parts])
  }

  /** A custom property can be declared after its use, and in several rules: each of its values must do. */
  finish(): void {
    const seen = new Map<Use['isAllowed'], Set<string>>()
    for (let use = this.#uses.pop(); use; use = this.#uses.pop()) {
      const names = seen.get(use.isAllowed) ?? new Set()
      if (names.has(use.name)) continue
      seen.set(use.isAllowed, names.add(use.name))
      for (const value of this.#values.get(use.name) ?? []) {
        const inner = variableOf(value)
        if (inner !== null) this.#uses.push({ ...use, name: inner })
        else if (!use.isAllowed(value)) {
          this.#refuse(
            use.node,
            use.message ?? `${use.name} must hold one colour or gradient: something is painted with it.`,
          )
          break
        }
      }
    }
  }

  #refuse(node: CssNode, message: string): void {
    this.#problems.addAt(node, 'css_paint', message)
  }

  #require(node: CssNode, isFine: boolean, message: string): void {
    if (!isFine) this.#refuse(node, message)
  }

  #checkFunctions(parts: Group): void {
    for (const part of parts) {
      if (part.type !== 'Function') continue
      const name = part.name.toLowerCase()
      if (REPEATED.test(name)) this.#refuse(part, SOFT)
      else if (GRADIENT.test(name)) this.#checkGradient(part, name)
      else if (name === 'drop-shadow') this.#checkShadow(part, partsOf(part), true)
      this.#checkFunctions(partsOf(part))
    }
  }

  #checkGradient(node: FunctionNode, name: string): void {
    const [first = [], ...rest] = groupsOf(partsOf(node))
    const stops = isDirection(first) ? rest : [first, ...rest]
    const places = placesOf(stops)
    const isRound = name !== 'conic-gradient' || textOf(stops[0]) === textOf(stops.at(-1))
    this.#require(node, places !== null && areApart(places) && isRound, SOFT)
    for (const [colour] of stops) this.#note(colour, isColour)
  }

  #checkLayers(node: CssNode, parts: Group): void {
    const layers = groupsOf(parts)
    const areWhole = layers.every((layer) => {
      const slash = layer.findIndex(isSlash)
      return slash < 0 || layer.slice(slash + 1, slash + 3).every((part) => isFullSize(part) || isWord(part))
    })
    this.#require(node, layers.length <= MOST_LAYERS && areWhole, WHOLE)
    for (const part of parts) this.#note(part, isColourOrGradient)
  }

  #checkShadow(node: CssNode, parts: Group, isOfLetters: boolean): void {
    const whole = variableOf(parts)
    if (whole === null) this.#require(node, isNear(parts, isOfLetters), NEAR)
    else this.#uses.push({ name: whole, node, isAllowed: isOfLetters ? isNearLetters : isNearBox, message: NEAR })
    if (whole === null) for (const part of parts) this.#note(part, isColour)
  }

  /** The variable may stand for such a value only. */
  #note(node: CssNode | undefined, isAllowed: Use['isAllowed']): void {
    const name = node && variableOf([node])
    if (node && typeof name === 'string') this.#uses.push({ name, node, isAllowed })
  }
}

const partsOf = (node: CssNode): Group =>
  'children' in node && node.children
    ? node.children.toArray().filter(({ type }) => type !== 'WhiteSpace' && type !== 'Comment')
    : []

const isOperator = (node: CssNode, sign: string): boolean => node.type === 'Operator' && node.value === sign
const isSlash = (node: CssNode): boolean => isOperator(node, '/')
const isWord = ({ type }: CssNode): boolean => type === 'Identifier'
const textOf = (group: Group | undefined): string => (group ?? []).map((node) => generate(node)).join(' ')

function groupsOf(parts: Group): Group[] {
  const groups: CssNode[][] = [[]]
  for (const part of parts) {
    if (isOperator(part, ',')) groups.push([])
    else groups.at(-1)?.push(part)
  }
  return groups
}

/** The name in a lone `var(--name)`; a fallback is refused by its parts, which no rule below knows. */
function variableOf(group: Group): string | null {
  const [only, ...more] = group
  if (more.length > 0 || only?.type !== 'Function' || only.name.toLowerCase() !== 'var') return null
  const [name, ...fallback] = partsOf(only)
  return name?.type === 'Identifier' && fallback.length === 0 ? name.name : null
}

const NO_COLOUR = /^(?:var|calc|min|max|clamp|round|abs|env|.*gradient)$/i

const isColour = ([only, ...more]: Group): boolean =>
  more.length === 0 &&
  only !== undefined &&
  (only.type === 'Identifier' || only.type === 'Hash' || (only.type === 'Function' && !NO_COLOUR.test(only.name)))

const isGradient = ([only, ...more]: Group): boolean =>
  more.length === 0 && only?.type === 'Function' && GRADIENT.test(only.name.toLowerCase())

const isColourOrGradient = (group: Group): boolean => isColour(group) || isGradient(group)

/** `to right`, `135deg`, `circle at 20% 0%`, `from 45deg`, `in oklch`. No length: it would be the size of a dot. */
const isDirection = ([first, ...more]: Group): boolean =>
  (first?.type === 'Dimension' || (first !== undefined && isWord(first) && DIRECTION.test(textOf([first])))) &&
  [first, ...more].every((node) => isWord(node) || node.type === 'Percentage' || isAngle(node))

const DIRECTION = /^(?:to|from|at|in|circle|ellipse|(?:closest|farthest)-(?:side|corner))$/i
const isAngle = (node: CssNode): boolean => node.type === 'Dimension' && /^(?:deg|turn|g?rad)$/i.test(node.unit)

/** Where the colours are, as percentages; null if a stop is not a colour with at most one percentage. */
function placesOf(stops: readonly Group[]): number[] | null {
  const last = stops.length - 1
  const places = stops.map(([colour, place, ...more], i): number | null => {
    const isPlain = colour !== undefined && (isColour([colour]) || variableOf([colour]) !== null) && more.length === 0
    if (!isPlain) return null
    if (place === undefined) return (100 * i) / last
    return place.type === 'Percentage' ? Number(place.value) : null
  })
  return places.every((place) => place !== null) ? places : null
}

const areApart = (places: readonly number[]): boolean =>
  places.length > 1 && places.every((place, i) => i === 0 || place - (places[i - 1] ?? 0) >= LEAST_BLEND)

const isFullSize = (node: CssNode): boolean =>
  /^(?:auto|cover|contain)$/i.test(textOf([node])) || (node.type === 'Percentage' && Number(node.value) === 100)

const sizesFit = (parts: Group): boolean =>
  groupsOf(parts).every((group) => group.length > 0 && group.every((part) => isFullSize(part) || isReset(part)))

const RESET = /^(?:none|inherit|initial|unset|revert|revert-layer)$/i
const isReset = (node: CssNode): boolean => isWord(node) && RESET.test(textOf([node]))

const isNearBox = (parts: Group): boolean => isNear(parts, false)
const isNearLetters = (parts: Group): boolean => isNear(parts, true)

function isNear(parts: Group, isOfLetters: boolean): boolean {
  const shadows = groupsOf(parts)
  return shadows.length <= MOST_SHADOWS && shadows.every((shadow) => isNearShadow(shadow, isOfLetters))
}

function isNearShadow(shadow: Group, isOfLetters: boolean): boolean {
  const isInside = shadow.some((part) => isWord(part) && /^inset$/i.test(textOf([part])))
  const most = (isInside ? MOST_INSIDE : MOST_OFFSET) / (isOfLetters ? 2 : 1)
  const lengths = shadow.filter(({ type }) => type === 'Dimension' || type === 'Number' || type === 'Percentage')
  const others = shadow.filter((part) => !lengths.includes(part))
  return (
    lengths.every((length, i) => pixelsOf(length) <= (i === 2 ? Number.MAX_VALUE : most)) &&
    others.every((part) => isColour([part]) || variableOf([part]) !== null)
  )
}

function pixelsOf(node: CssNode): number {
  if (node.type === 'Number') return Math.abs(Number(node.value))
  if (node.type !== 'Dimension') return Number.POSITIVE_INFINITY
  const unit = node.unit.toLowerCase()
  return Math.abs(Number(node.value)) * (unit === 'em' ? EM : (PIXELS[unit] ?? Number.POSITIVE_INFINITY))
}
