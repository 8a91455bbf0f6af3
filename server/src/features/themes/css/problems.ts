import type { CssNode } from 'css-tree'

/** What a stylesheet is refused for. Each is explained in docs/guides/theming.md. */
export type CssRule =
  | 'css_address'
  | 'css_angle_bracket'
  | 'css_at_rule'
  | 'css_attribute'
  | 'css_character'
  | 'css_depth'
  | 'css_escape'
  | 'css_font'
  | 'css_function'
  | 'css_nesting'
  | 'css_outside'
  | 'css_property'
  | 'css_pseudo'
  | 'css_reserved'
  | 'css_selector'
  | 'css_size'
  | 'css_syntax'
  | 'css_value'

export const NESTING = 'Rules inside of rules are refused: write each with its whole selector.'

export interface Place {
  readonly line: number
  readonly column: number
}

export interface CssProblem extends Place {
  readonly rule: CssRule
  readonly message: string
}

/** Enough to mend a stylesheet by. */
const MOST_PROBLEMS = 50

export class Problems {
  readonly #found: CssProblem[] = []

  get found(): readonly CssProblem[] {
    return this.#found.toSorted((left, right) => left.line - right.line || left.column - right.column)
  }

  /** The place is worked out only for what is told: to look for it takes as long as the text is. */
  add(rule: CssRule, message: string, place: () => Place): void {
    if (this.#found.length >= MOST_PROBLEMS) return
    const { line, column } = place()
    this.#found.push({ rule, message, line, column })
  }

  addAt(node: CssNode, rule: CssRule, message: string): void {
    this.add(rule, message, () => node.loc?.start ?? { line: 1, column: 1 })
  }
}

const NEWLINE = /\r\n|[\n\r\f]/g

export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const breaks = [...before.matchAll(NEWLINE)]
  const last = breaks.at(-1)
  return { line: breaks.length + 1, column: offset - (last ? last.index + last[0].length : 0) + 1 }
}
