// css-tree without its dictionary of CSS properties, which would cost start time and memory.
declare module 'css-tree/parser' {
  export { parse as default } from 'css-tree'
}

declare module 'css-tree/generator' {
  export { generate as default } from 'css-tree'
}

declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree'
}

declare module 'css-tree/lexer' {
  import type { generate, LexerMatchResult } from 'css-tree'

  interface Token {
    readonly type: number
    readonly value: string
  }

  /** How many tokens match, from `token` on; `range` has the limits in `<name [min,max]>`. */
  export type Matcher = (
    token: Token | null,
    next: (offset: number) => Token | null,
    range: { readonly min: number; readonly max: number } | null,
  ) => number

  export class Lexer {
    constructor(
      config: { types: Readonly<Record<string, Matcher | string>>; properties: Readonly<Record<string, string>> },
      syntax: { generate: typeof generate },
      structure: object,
    )
    matchProperty(property: string, value: string): LexerMatchResult
  }
}
