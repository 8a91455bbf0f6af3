import type { CssNode } from 'css-tree'
import generate from 'css-tree/generator'
import type { Problems } from './problems.ts'

/**
 * Faces whose letters are signs, as systems name them, in lower case and without spaces. A list of allowed faces would refuse most brands'
 * own; fonts cannot be loaded, so only the faces that systems come with can do harm.
 */
const SIGN_FACES =
  /^((itc)?zapfdingbats|.*wingdings[23]?|.*webdings|.*dingbats(std|pro|lt)?|[ds]0?50000l|symbol(mt|neu|neue|std|setsws)?|standardsymbols.*|opensymbol|starsymbol|applesymbols|applebraille.*|marlett|segoemdl2assets|segoefluenticons|bookshelfsymbol7|mtextra|msoutlook|msreferencespecialty|bodoniornaments.*|hoeflertextornaments|.*ornaments(mt|std)?|adobeblank2?|lastresort|.*barcode.*|.*(code39|code128|ean13).*|.*material(icons|symbols).*|.*font ?awesome.*|fa(solid|regular|brands).*|.*icons|redacted.*|flow(block|circular|rounded)|notomusic|bravura(text)?|maestro|petrucci|sonata|musicalsymbols|monotypesorts|commercialpi.*|euclidsymbol|mathematicalpi.*|universal(newswithcommercialpi|greekwithmathpi).*|almanacmt|vacationmt|holidayspimt|keystrokesmt|transportmt|botanicalmt|linedraw.*|gfxsymbol|esrius.*|hypermusic|marvosym.*|cmsy\d*|cmex\d*|cmmi\d*|msam\d*|msbm\d*|esint\d*|stmary\d*|wasy\d*|rsfs\d*|eufm\d*)$/

const SIZE = /^(?:[\d.]+\S*|\S*\)|(?:xx?-|xxx-)?(?:small|large)|medium|smaller|larger)$/

/** For `font`, `font-family` and a brand's own properties, which may stand for either. */
export function checkFonts(value: CssNode, problems: Problems): void {
  const faces = generate(value).toLowerCase().split(',').flatMap(facesOf)
  if (faces.some((face) => SIGN_FACES.test(face)))
    problems.addAt(value, 'css_font', 'Symbol fonts are not allowed: labels must stay readable.')
}

/** The face as a whole, each of its words, and what follows the size in the shorthand. */
function facesOf(text: string): string[] {
  const words = text.replaceAll(/["'!]/g, ' ').trim().split(/\s+/)
  const size = words.findLastIndex((word) => SIZE.test(word))
  const quoted = /["']/.test(text)
  return [words, words.slice(size + 1), ...(quoted ? [] : words.map((word) => [word]))].map(plain)
}

const plain = (words: readonly string[]): string => words.join('').replaceAll(/[^a-z0-9]/g, '')
