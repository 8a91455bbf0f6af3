import type { CssNode } from 'css-tree'
import generate from 'css-tree/generator'

/** A custom property of ours, without its prefix, and its value. */
export type CustomProperty = readonly [name: string, value: string]

/** The custom properties that a brand's declaration sets; empty if it sets no measure that is clamped. */
export type Reader = (property: string, parts: readonly CssNode[]) => readonly CustomProperty[]

export const textOf = (node: CssNode): string => generate(node)

/** A bare 0 is a valid length, but within calc() or clamp() it would be a number. */
export const lengthOf = (node: CssNode): string => (textOf(node) === '0' ? '0px' : textOf(node))
