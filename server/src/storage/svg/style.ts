import { PictureRefused } from '../pictures/picture-refused.ts'
import { FUNCTIONS } from './known.ts'

const AT_RULE = /@([\w-]*)/g
const AT_RULES = new Set(['media', 'keyframes', '-webkit-keyframes'])
/** What may stand behind `url`. */
const LOCAL_ADDRESS = /\(\s*(["']?)#[\w.:-]+\1\s*\)/y
const WORD_CHARACTER = /[\w-]/

const refused = (message: string) => new PictureRefused('unsafe_svg', message)

/** A style sheet, a style attribute, or the value of an attribute that is read like one. Returns it without comments. */
export function checkStyle(css: string): string {
  const plain = withoutComments(css)
  // With a backslash any word can be spelt in another way.
  if (plain.includes('\\')) throw refused('A backslash in a style is refused.')
  for (const [, name = ''] of plain.matchAll(AT_RULE)) {
    if (!AT_RULES.has(name.toLowerCase())) throw refused(`@${name} in a style is refused.`)
  }
  for (let open = plain.indexOf('('); open >= 0; open = plain.indexOf('(', open + 1)) checkFunction(plain, open)
  return plain
}

function withoutComments(css: string): string {
  const parts: string[] = []
  let at = 0
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', at)) {
    const close = css.indexOf('*/', open + 2)
    if (close < 0) throw refused('A comment in a style does not end.')
    parts.push(css.slice(at, open))
    at = close + 2
  }
  return [...parts, css.slice(at)].join(' ')
}

/** The name is read backwards from its bracket: a search for names that end in one reads a long word once a letter. */
function checkFunction(css: string, open: number): void {
  let start = open
  while (start > 0 && WORD_CHARACTER.test(css.charAt(start - 1))) start--
  if (start === open || css[start - 1] === '@') return
  const name = css.slice(start, open).toLowerCase()
  if (!FUNCTIONS.has(name)) throw refused(`${name}() in a style is refused.`)
  LOCAL_ADDRESS.lastIndex = open
  if (name === 'url' && !LOCAL_ADDRESS.test(css)) {
    throw refused('A style may refer to its own file alone, as url(#name).')
  }
}
