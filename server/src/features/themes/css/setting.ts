import type { CssNode } from 'css-tree'
import generate from 'css-tree/generator'

/** A property of ours, without its prefix, and its value. */
export type Setting = readonly [name: string, value: string]

/** What a declaration of a brand comes to; nothing, where it is not about a measure of ours. */
export type Reader = (property: string, parts: readonly CssNode[]) => readonly Setting[]

export const textOf = (node: CssNode): string => generate(node)

/** A bare 0 is a length where it stands, and a number where it is clamped. */
export const lengthOf = (node: CssNode): string => (textOf(node) === '0' ? '0px' : textOf(node))
