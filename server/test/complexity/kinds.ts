import { Dice } from '../random-css.ts'
import type { MakeText } from './growth.ts'

/** A piece of a grammar. A function numbers its pieces, so that no two are equal. */
export type Token = string | ((i: number) => string)

export interface Grammar {
  readonly tokens: readonly Token[]
  /** An opening and a closing token. */
  readonly nested?: readonly (readonly [open: string, close: string])[]
  /** The positions of the pieces within a whole text. */
  readonly places?: readonly ((inside: string) => string)[]
}

export interface Kind {
  readonly name: string
  readonly make: MakeText
}

const itself = (inside: string): string => inside

const SEED = 1

/** The same selection each time; all of them if there are no more. */
export function sampleOf(kinds: readonly Kind[], most: number): Kind[] {
  const dice = new Dice(SEED)
  const left = [...kinds]
  return Array.from({ length: Math.min(most, left.length) }, () => left.splice(dice.below(left.length), 1)).flat()
}

/** Every token by itself, and every pair of brackets, at every position. */
export function plainKinds(grammar: Grammar): Kind[] {
  const { tokens, nested = [] } = grammar
  const flat = tokens.map((token) => ({ name: nameOf(token), make: (size: number) => repeated(token, size) }))
  const deep = nested.flatMap(([open, close]) => [
    { name: `${open} nested`, make: (size: number) => around(open, close, size) },
    { name: `${open} never closed`, make: (size: number) => repeated(open, size) },
  ])
  return inPlaces(grammar, [...flat, ...deep])
}

/** Every two tokens: alternating, one after many of the other, and half and half. */
export function pairedKinds(grammar: Grammar): Kind[] {
  const { tokens } = grammar
  const pairs = tokens.flatMap((first) =>
    tokens.filter((second) => second !== first).map((second) => [first, second] as const),
  )
  return inPlaces(
    grammar,
    pairs.flatMap(([first, second]) => [
      { name: `${nameOf(first)}${nameOf(second)}`, make: (size) => repeated(joined(first, second), size) },
      { name: `${nameOf(first)}… ${nameOf(second)}`, make: (size) => repeated(first, size) + textOf(second, 0) },
      {
        name: `${nameOf(first)}… ${nameOf(second)}…`,
        make: (size) => repeated(first, size / 2) + repeated(second, size / 2),
      },
    ]),
  )
}

const inPlaces = ({ places = [itself] }: Grammar, kinds: readonly Kind[]): Kind[] =>
  places.flatMap((place) =>
    kinds.map(({ name, make }) => ({
      name: place === itself ? name : place(name),
      make: (size: number) => place(make(size - place('').length)),
    })),
  )

/** Two texts are one, which is repeated many times faster than a function is called. */
const joined = (first: Token, second: Token): Token =>
  typeof first === 'string' && typeof second === 'string' ? first + second : (i) => textOf(first, i) + textOf(second, i)

const nameOf = (token: Token): string => (typeof token === 'string' ? token : token(1))
const textOf = (token: Token, i: number): string => (typeof token === 'string' ? token : token(i))

/**
 * Long texts have a multiple of so many pieces. Otherwise a text of one size may be refused early for an odd number of
 * quotes and one of twice the size not, which would look like growth.
 */
const PIECES = 12

const rounded = (count: number): number => (count > PIECES ? count - (count % PIECES) : Math.max(1, count))

function repeated(token: Token, size: number): string {
  if (typeof token === 'string') return token.repeat(rounded(Math.floor(size / token.length)))
  const parts: string[] = []
  for (let length = 0, i = 0; length < size || i % PIECES !== 0; i++) {
    const part = token(i)
    parts.push(part)
    length += part.length
  }
  return parts.join('')
}

function around(open: string, close: string, size: number): string {
  const depth = rounded(Math.floor(size / (open.length + close.length)))
  return open.repeat(depth) + close.repeat(depth)
}
