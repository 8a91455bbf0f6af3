// css-tree without its dictionary of CSS properties, which would cost start time and memory.
declare module 'css-tree/parser' {
  import type { parse } from 'css-tree'

  const parser: typeof parse
  export default parser
}

declare module 'css-tree/generator' {
  import type { generate } from 'css-tree'

  const generator: typeof generate
  export default generator
}

declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree'
}
