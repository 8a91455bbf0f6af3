import { PictureRefused } from '../pictures/picture-refused.ts'
import { FUNCTIONS } from './known.ts'

const FUNCTION = /([\w-]+)\(/g
const URL_FUNCTION = /url\(/gi
const LOCAL_URL = /url\(\s*(["']?)#[\w.:-]+\1\s*\)/gi
const AT_RULE = /@([\w-]*)/g
const AT_RULES = new Set(['media', 'keyframes', '-webkit-keyframes'])

const refused = (message: string) => new PictureRefused('unsafe_svg', message)

/** A style sheet, a style attribute, or the value of an attribute that is read like one. Returns it without comments. */
export function checkStyle(css: string): string {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, ' ')
  if (plain.includes('/*')) throw refused('A comment in a style does not end.')
  // With a backslash any word can be spelt in another way.
  if (plain.includes('\\')) throw refused('A backslash in a style is refused.')
  for (const [, name = ''] of plain.matchAll(AT_RULE)) {
    if (!AT_RULES.has(name.toLowerCase())) throw refused(`@${name} in a style is refused.`)
  }
  for (const [, name = ''] of plain.replace(AT_RULE, ' ').matchAll(FUNCTION)) {
    if (!FUNCTIONS.has(name.toLowerCase())) throw refused(`${name}() in a style is refused.`)
  }
  const urls = plain.match(URL_FUNCTION)?.length ?? 0
  if (urls !== (plain.match(LOCAL_URL)?.length ?? 0))
    throw refused('A style may refer to its own file alone, as url(#name).')
  return plain
}
