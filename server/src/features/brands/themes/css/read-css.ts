// features/brands/themes/css: reads the stylesheet of a brand strictly and prints what is allowed.
import type { Atrule, Block, CssNode, Declaration, Rule, StyleSheet } from 'css-tree'
import generate from 'css-tree/generator'
import parse from 'css-tree/parser'
import { BRAND_LAYER, LAYER_ORDER } from '../../../../../../embed/src/theme/layers.ts'
import { PRINTED_BY } from '../stylesheet-url.ts'
import { type CssProblem, type CssRule, checkText, Problems, TooMuch } from './problems.ts'
import { allowedValues, isAllowed, isProperty } from './properties.ts'
import { SelectorRefused, scopedSelector } from './selectors.ts'

const USE = /var\(\s*(--[\w-]+)\s*\)/
const MOST_TEXTS = 16
const MOST_USES = 12
const LONGEST = 1_000

/** Samples of the theme's own values, which a stylesheet may read. */
const COLORS = 'accent on-accent card text muted line choice fill chosen on-fill'.split(' ')
const OURS = new Map<string, Set<string>>([
  ...COLORS.map((name): [string, Set<string>] => [`--tossup-${name}`, new Set(['red'])]),
  ['--tossup-font', new Set(['serif'])],
  ['--tossup-radius', new Set(['1px'])],
  ['--tossup-space', new Set(['1px'])],
])

/** The custom properties of a stylesheet, each with every value that any rule gives it. */
class Variables {
  readonly #values = new Map(OURS)

  collect(node: CssNode): void {
    if (node.type === 'Declaration' && node.property.startsWith('--')) {
      const known = this.#values.get(node.property)
      const value = generate(node.value).trim()
      if (known) known.add(value)
      else this.#values.set(node.property, new Set([value]))
    }
    if ('block' in node && node.block) this.collect(node.block)
    if (node.type === 'StyleSheet' || node.type === 'Block') for (const child of node.children) this.collect(child)
  }

  /** All that a value can become; null where that is unknown, or too much to check. */
  textsOf(text: string): readonly string[] | null {
    const texts: string[] = []
    return this.#expand(text, texts, 0) ? texts : null
  }

  #expand(text: string, texts: string[], uses: number): boolean {
    const [use, name = ''] = USE.exec(text) ?? []
    if (use === undefined) return texts.push(text) <= MOST_TEXTS
    const values = this.#values.get(name)
    if (!values || uses === MOST_USES || text.length > LONGEST) return false
    for (const value of values)
      if (
        !this.#expand(
          text.replace(use, () => value),
          texts,
          uses + 1,
        )
      )
        return false
    return true
  }
}

export interface ReadStylesheet {
  /** Ordered by place; empty if the stylesheet is accepted. */
  readonly problems: readonly CssProblem[]
  /** The served text: the allowed parts, scoped to a poll, in a layer below integrity. */
  readonly printed: string
}

const MOST_RULES = 1_000
const MOST_SELECTORS = 2_000
const AT_RULES = ['media', 'container', 'supports', 'keyframes']
const NESTING = 'Rules inside of rules are refused: write each with its whole selector.'

export function readCss(text: string): ReadStylesheet {
  const problems = new Problems(text)
  let rules = ''
  try {
    checkText(text, problems)
    const sheet = problems.isEmpty ? parseCss(text, problems) : null
    if (sheet && problems.isEmpty) rules = new Printer(problems, sheet).print()
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
  }
  return { problems: problems.inOrder(), printed: `${PRINTED_BY}${LAYER_ORDER}\n@layer ${BRAND_LAYER}{\n${rules}}\n` }
}

const parseCss = (text: string, problems: Problems): StyleSheet =>
  parse(text, {
    positions: true,
    parseValue: false,
    onParseError({ message, line, column }, fallback?: CssNode | null) {
      // Without a fallback, the parser will try another interpretation.
      if (!fallback?.loc) return
      const failed = text.slice(fallback.loc.start.offset, fallback.loc.end.offset)
      // Two semicolons with only space between them are valid CSS.
      if (/^[\s;]*$/.test(failed)) return
      // The parser takes a nested rule for a malformed declaration.
      const isNested = /^[^;}]*\{/.test(failed) && /Identifier|Colon/.test(message)
      const told = isNested ? NESTING : `This does not parse: ${message}.`
      problems.add(isNested ? 'css_nesting' : 'css_syntax', told, { line, column })
    },
  }) as StyleSheet

/** Prints what is allowed, and reports the rest. */
class Printer {
  readonly #problems: Problems
  readonly #sheet: StyleSheet
  readonly #variables = new Variables()
  #rules = 0
  #selectors = 0

  constructor(problems: Problems, sheet: StyleSheet) {
    this.#problems = problems
    this.#sheet = sheet
    this.#variables.collect(sheet)
  }

  print(): string {
    return this.#block(this.#sheet)
  }

  #block({ children }: StyleSheet | Block, isInKeyframes = false): string {
    const texts = children.toArray().map((node) => {
      if (node.type === 'Rule') return this.#rule(node, isInKeyframes)
      if (node.type === 'Atrule' && !isInKeyframes) return this.#atRule(node)
      return node.type === 'Comment' ? '' : this.#refused(node, 'css_syntax', 'Syntax error: expected a rule.')
    })
    return texts.join('')
  }

  #refused(node: CssNode, rule: CssRule, message: string): '' {
    this.#problems.addAt(node, rule, message)
    return ''
  }

  #atRule(node: Atrule): string {
    const { prelude, block } = node
    const name = node.name.toLowerCase()
    if (!AT_RULES.includes(name))
      return this.#refused(node, 'css_at_rule', `@${name} is not allowed. Allowed at-rules: @${AT_RULES.join(', @')}.`)
    if (!block || !prelude || !isPlain(prelude))
      return this.#refused(node, 'css_syntax', `@${name} takes a plain condition or name, and a block.`)
    return `@${name} ${generate(prelude)}{\n${this.#block(block, name === 'keyframes')}}\n`
  }

  #rule(rule: Rule, isInKeyframes: boolean): string {
    const list = rule.prelude.type === 'SelectorList' ? rule.prelude.children.toArray() : [rule.prelude]
    this.#rules++
    this.#selectors += list.length
    const limit = this.#rules > MOST_RULES ? `${MOST_RULES} rules` : `${MOST_SELECTORS} selectors`
    if (this.#rules > MOST_RULES || this.#selectors > MOST_SELECTORS)
      this.#problems.refuse(rule.loc?.start.offset ?? 0, 'css_size', `Must have at most ${limit}.`)
    const selectors = list.map((selector) => this.#selector(selector, isInKeyframes)).filter((text) => text !== '')
    const declarations = rule.block.children.toArray().map((node) => this.#inRule(node))
    return selectors.length === 0
      ? ''
      : `${selectors.join(',')}{${declarations.filter((text) => text !== '').join(';')}}\n`
  }

  #selector(node: CssNode, isInKeyframes: boolean): string {
    try {
      if (isInKeyframes && /^(from|to|[\d.]+%)$/i.test(generate(node))) return generate(node)
      if (!isInKeyframes && node.type === 'Selector') return scopedSelector(node)
      return this.#refused(node, 'css_syntax', 'Syntax error in the selector.')
    } catch (error) {
      if (!(error instanceof SelectorRefused)) throw error
      return this.#refused(error.node, 'css_selector', error.message)
    }
  }

  #inRule(node: CssNode): string {
    if (node.type === 'Declaration') return this.#declaration(node)
    if (node.type === 'Rule' || node.type === 'Atrule') return this.#refused(node, 'css_nesting', NESTING)
    if (node.type === 'Comment' || node.type === 'Raw') return ''
    return this.#refused(node, 'css_syntax', 'Syntax error: expected a declaration.')
  }

  #declaration(node: Declaration): string {
    const text = generate(node.value).trim()
    const { important } = node
    if (typeof important === 'string' && important.toLowerCase() !== 'important')
      return this.#refused(node, 'css_syntax', `Syntax error: unknown !${important}.`)
    const end = important ? '!important' : ''
    if (node.property.startsWith('--')) return this.#variable(node, text) && `${node.property}:${text}${end}`
    const property = node.property.toLowerCase()
    if (!isProperty(property))
      return this.#refused(node, 'css_property', `${node.property} is not on the list of properties in the guide.`)
    if (text === '') return this.#refused(node.value, 'css_syntax', 'Syntax error: expected a value.')
    const texts = this.#variables.textsOf(text)
    if (!texts?.every((each) => isAllowed(property, each))) {
      const names = texts ? '' : ' var() takes a name that the stylesheet sets, and at most 16 values in all.'
      return this.#refused(
        node.value,
        'css_value',
        `${property} takes ${allowedValues(property)}, not "${text}".${names}`,
      )
    }
    return `${printed(property, text)}${end}`
  }

  #variable(node: Declaration, text: string): string {
    if (/^--tossup-/i.test(node.property))
      return this.#refused(
        node,
        'css_reserved',
        'Names that begin with --tossup- are read-only: set the property itself.',
      )
    // Each use is checked with its value: here it only must not end the declaration, or load anything.
    if (/^(?!.*(url|src|image)\()[\p{L}\p{N}\s.,#%()"'+/-]*$/isu.test(text)) return text === '' ? ' ' : text
    return this.#refused(
      node.value,
      'css_value',
      `${node.property} takes words, numbers, colours, strings and functions.`,
    )
  }
}

const PLAIN = new Set(
  'AtrulePrelude MediaQueryList MediaQuery Condition Feature Identifier Dimension Number Ratio SupportsDeclaration'.split(
    ' ',
  ),
)

/** The parser keeps as raw text what it did not understand. */
function isPlain(node: CssNode): boolean {
  if (!PLAIN.has(node.type)) return false
  const inside = [
    ...('children' in node ? (node.children ?? []) : []),
    ...('condition' in node && node.condition ? [node.condition] : []),
  ]
  return inside.every(isPlain)
}

const ONE_COLUMN = 'grid-template-columns:minmax(0,1fr)'
/** Beside each other where both have room for words. */
const TWO_COLUMNS = 'grid-template-columns:repeat(auto-fit,minmax(min(100%,7rem),1fr))'

/** To the sides, padding is a share of what is around it: however much is used up at once, a label keeps room to be read. */
function printed(property: string, text: string): string {
  if (/^(flex-direction|grid-template-columns)$/.test(property))
    return /^row$|fr\s+1fr|repeat\(\s*2/i.test(text) ? TWO_COLUMNS : ONE_COLUMN
  if (!/^padding(?!-(top|bottom|block))/.test(property)) return `${property}:${text}`
  const [top = '', right = top, bottom = top, left = right] = text.match(/[\w-]+\([^)]*\)|\S+/g) ?? []
  const side = (value: string) =>
    /^[a-z-]+$/i.test(value) ? value : `min(${/^[\d.]+$/.test(value) ? '0px' : value},12%)`
  if (/^[a-z-]+$/i.test(text)) return `${property}:${text}`
  if (property === 'padding') return `padding:${top} ${side(right)} ${bottom} ${side(left)}`
  return `${property}:${text.replaceAll(/[\w-]+\([^)]*\)|\S+/g, side)}`
}
