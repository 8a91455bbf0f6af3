import type { Atrule, Block, Declaration, Rule, StyleSheet } from 'css-tree'
import generate from 'css-tree/generator'
import { BRAND_LAYER, LAYER_ORDER } from '../../../../../embed/src/layers.ts'
import { guardedSettings } from './guarded.ts'
import { scopedSelector } from './scope.ts'

/** The stylesheet that is served: printed from the tree, each selector scoped to a poll, in a layer below integrity. */
export const printCss = (sheet: StyleSheet): string => `${LAYER_ORDER}\n@layer ${BRAND_LAYER}{\n${rules(sheet)}}\n`

const rules = ({ children }: StyleSheet | Block): string =>
  children
    .toArray()
    .map((node) => {
      if (node.type === 'Atrule') return atRule(node)
      return node.type === 'Rule' ? `${selectors(node)}{${declarations(node.block, true)}}\n` : ''
    })
    .join('')

function atRule({ name, prelude, block }: Atrule): string {
  if (!prelude || !block) return ''
  const inside = name.toLowerCase() === 'keyframes' ? moments(block) : rules(block)
  return `@${name.toLowerCase()} ${generate(prelude)}{\n${inside}}\n`
}

const selectors = ({ prelude }: Rule): string =>
  prelude.type === 'Raw'
    ? ''
    : prelude.children
        .toArray()
        .map((selector) => (selector.type === 'Selector' ? scopedSelector(selector) : ''))
        .join(',')

/** Without our custom properties: they cannot be interpolated, so an option would jump during the animation. */
const moments = ({ children }: Block): string =>
  children
    .toArray()
    .map((node) => (node.type === 'Rule' ? `${generate(node.prelude)}{${declarations(node.block, false)}}\n` : ''))
    .join('')

const declarations = ({ children }: Block, isGuarded: boolean): string =>
  children
    .toArray()
    .flatMap((node) => (node.type === 'Declaration' ? [generate(node), ...(isGuarded ? guarded(node) : [])] : []))
    .join(';')

const guarded = (declaration: Declaration): string[] =>
  guardedSettings(declaration).map(
    ([name, value]) => `--tossup-${name}:${value}${declaration.important ? '!important' : ''}`,
  )
