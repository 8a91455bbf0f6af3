import { PictureRefused } from '../pictures/picture-refused.ts'
import { SVG_FUNCTIONS } from './known.ts'

const AT_RULE = /@([\w-]*)/g
const AT_RULES = new Set(['media', 'keyframes', '-webkit-keyframes'])
/** The only argument allowed in `url()`: a reference within the file. */
const LOCAL_ADDRESS = /\(\s*(["']?)#[\w.:-]+\1\s*\)/y
const WORD_CHARACTER = /[\w-]/

const refused = (message: string) => new PictureRefused('unsafe_svg', message)

/** Checks a style sheet, a style attribute, or an attribute that is parsed like one. Returns it without comments. */
export function checkStyle(css: string): string {
  const plain = withoutComments(css)
  // With a backslash any word can be spelt in another way.
  if (plain.includes('\\')) throw refused('Backslashes are not allowed in a style.')
  for (const [, name = ''] of plain.matchAll(AT_RULE)) {
    if (!AT_RULES.has(name.toLowerCase())) throw refused(`@${name} is not allowed in a style.`)
  }
  for (let open = plain.indexOf('('); open >= 0; open = plain.indexOf('(', open + 1)) checkFunction(plain, open)
  return plain
}

function withoutComments(css: string): string {
  const parts: string[] = []
  let at = 0
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', at)) {
    const close = css.indexOf('*/', open + 2)
    if (close < 0) throw refused('A comment in a style is not closed.')
    parts.push(css.slice(at, open))
    at = close + 2
  }
  return [...parts, css.slice(at)].join(' ')
}

/** Reads the name backwards from its bracket: a search forwards would be quadratic in the length of a word. */
function checkFunction(css: string, open: number): void {
  let start = open
  while (start > 0 && WORD_CHARACTER.test(css.charAt(start - 1))) start--
  if (start === open || css[start - 1] === '@') return
  const name = css.slice(start, open).toLowerCase()
  if (!SVG_FUNCTIONS.has(name)) throw refused(`${name}() is not allowed in a style.`)
  LOCAL_ADDRESS.lastIndex = open
  if (name === 'url' && !LOCAL_ADDRESS.test(css)) {
    throw refused('A style may refer only to its own file, as url(#name).')
  }
}
