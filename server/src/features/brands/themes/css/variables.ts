import type { CssNode } from 'css-tree'
import generate from 'css-tree/generator'

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
export class Variables {
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
