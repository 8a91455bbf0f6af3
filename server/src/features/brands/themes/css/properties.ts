import generate from 'css-tree/generator'
import { Lexer, type Matcher } from 'css-tree/lexer'
import { tokenTypes } from 'css-tree/tokenizer'

/** A number with one of these units; the factors convert it to the unit of the limits. */
const measure = (units: Readonly<Record<string, number>>): Matcher => {
  const factors = new Map(Object.entries(units))
  return (token, _next, range) => {
    const [, number = '', unit = ''] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(%|[a-z]*)$/i.exec(token?.value ?? '') ?? []
    const value = Number(number) === 0 ? 0 : Number(number) * (factors.get(unit.toLowerCase()) ?? Number.NaN)
    return number !== '' && value >= (range?.min ?? -1e6) && value <= (range?.max ?? 1e6) ? 1 : 0
  }
}

/** An em is between 11 and 40px. */
const size = measure({ px: 1, rem: 16, em: 24, pt: 4 / 3 })

const named: Matcher = (token) =>
  token?.type === tokenTypes.Ident && Bun.color(token.value.toLowerCase(), 'css') !== null ? 1 : 0

/** Faces whose letters are signs, in lower case and without spaces. Only the faces that systems come with can do harm. */
const SIGN_FACES =
  /^((itc)?zapfdingbats|.*wingdings[23]?|.*webdings|.*dingbats(std|pro|lt)?|[ds]0?50000l|symbol(mt|neu|neue|std|setsws)?|standardsymbols.*|opensymbol|starsymbol|applesymbols|applebraille.*|marlett|segoemdl2assets|segoefluenticons|bookshelfsymbol7|mtextra|msoutlook|msreferencespecialty|bodoniornaments.*|hoeflertextornaments|.*ornaments(mt|std)?|adobeblank2?|lastresort|.*barcode.*|.*(code39|code128|ean13).*|.*material(icons|symbols).*|.*font ?awesome.*|fa(solid|regular|brands).*|.*icons|redacted.*|flow(block|circular|rounded)|notomusic|bravura(text)?|maestro|petrucci|sonata|musicalsymbols|monotypesorts|commercialpi.*|euclidsymbol|mathematicalpi.*|universal(newswithcommercialpi|greekwithmathpi).*|almanacmt|vacationmt|holidayspimt|keystrokesmt|transportmt|botanicalmt|linedraw.*|gfxsymbol|esrius.*|hypermusic|marvosym.*|cmsy\d*|cmex\d*|cmmi\d*|msam\d*|msbm\d*|esint\d*|stmary\d*|wasy\d*|rsfs\d*|eufm\d*)$/

/** A string, or all words up to the next comma. */
const family: Matcher = (token, next) => {
  const words: string[] = []
  let length = 0
  for (let at = token; at; at = next(length)) {
    const isWord = at.type === tokenTypes.Ident || (at.type === tokenTypes.String && length === 0)
    if (!isWord && at.type !== tokenTypes.WhiteSpace) break
    length++
    words.push(at.value)
    if (at.type === tokenTypes.String) break
  }
  const face = words
    .join('')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
  return face !== '' && !SIGN_FACES.test(face) ? length : 0
}

const both = (name: string): string => `${name}( <channel>#{3,4} ) | ${name}( <channel>{3} [ / <channel> ]? )`

/** Without a place, five colours are 25 % apart; closer ones would be an edge, which could be taken for a bar. */
const STOPS = '[ <color>#{2,5} | <color> <percent [0,25]>? , <color> <percent [50,100]>? ]'
const fluid = (least: number, most: number): string =>
  `[ <size [${least},${most}]> | clamp( <size [${least},${most}]> , <fluid> , <size [${least},${most}]> ) ]`
const shadow = (most: number): string =>
  `[ <size [-${most},${most}]>{2} [ <size [0,64]> <size [-${most},${most}]>? ]? && <color>? ]`

const TYPES: Readonly<Record<string, Matcher | string>> = {
  size,
  named,
  family,
  fluid: measure({ vw: 1, vh: 1, vmin: 1, vmax: 1, cqi: 1, cqw: 1 }),
  percent: measure({ '%': 1 }),
  number: measure({ '': 1 }),
  /** Hundredths, so that limits are whole numbers. */
  part: measure({ '': 100, '%': 1 }),
  angle: measure({ deg: 1, rad: 180 / Math.PI, turn: 360, grad: 0.9 }),
  time: measure({ s: 1, ms: 0.001 }),
  track: measure({ fr: 1 }),
  word: (token) => (token?.type === tokenTypes.Ident && !token.value.startsWith('--') ? 1 : 0),
  hex: (token) => (/^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(token?.value ?? '') ? 1 : 0),
  channel: '<number> | <percent> | <angle> | none',
  mixed: '<color> && <percent [0,100]>?',
  color: [
    '<hex> | <named> | light-dark( <color> , <color> ) | color-mix( in <word> [ <word> hue ]? , <mixed> , <mixed> )',
    ...['rgb', 'rgba', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'oklab', 'oklch'].map((name) => both(name)),
  ].join(' | '),
  gradient: `linear-gradient( [ [ <angle> | to [ top | bottom | left | right ]{1,2} ] , ]? ${STOPS} ) |
    radial-gradient( [ [ circle | ellipse ]? [ at [ <percent [0,100]> | center | top | bottom | left | right ]{1,2} ]? , ]? ${STOPS} )`,
  style: 'none | hidden | solid | dashed | dotted | double | groove | ridge | inset | outset',
  edge: '<size [0,8]> | thin | medium | thick',
  weight: 'normal | bold | <number [100,900]>',
  line: 'normal | <part [100,200]> | <size [14,64]>',
  easing: `linear | ease | ease-in | ease-out | ease-in-out | step-start | step-end |
    cubic-bezier( <number>#{4} ) | steps( <number [1,60]> [ , <word> ]? )`,
}

const FONT_SIZE = fluid(11, 40).replaceAll('<size [', '<type [')
const SPACE = fluid(0, 48)
const GAP = `normal | ${fluid(0, 32)}`
const RADIUS = '[ <size [0,9999]> | <percent [0,50]> ]'
const SIDES = ['top', 'right', 'bottom', 'left', 'block', 'inline'].flatMap((side) =>
  /block|inline/.test(side) ? [side, `${side}-start`, `${side}-end`] : [side],
)
const CORNERS = [
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
  'start-start',
  'start-end',
  'end-start',
  'end-end',
]

/** `padding` and `padding-left`; `border-color` and `border-left-color`. */
const sided = (name: string, syntax: string): [string, string][] =>
  ['', ...SIDES].map((side) => [name.replace(/^(\w+)/, side === '' ? '$1' : `$1-${side}`), syntax])

/** Each property that a brand may set, and its values in the value definition syntax of CSS. Lengths count as pixels: see `size`. */
export const PROPERTIES: Readonly<Record<string, string>> = {
  color: '<color>',
  background: 'none | <color> || <gradient>',
  'background-color': '<color>',
  'background-image': 'none | <gradient>',
  ...Object.fromEntries([
    ...sided('border', '<edge> || <style> || <color>'),
    ...sided('border-width', '<edge>{1,4}'),
    ...sided('border-style', '<style>{1,4}'),
    ...sided('border-color', '<color>{1,4}'),
    ...['border-radius', ...CORNERS.map((corner) => `border-${corner}-radius`)].map((name) => [name, `${RADIUS}{1,4}`]),
    ...sided('padding', `${SPACE}{1,4}`),
    ...sided('margin', '[ <size [0,32]> | auto ]{1,4}'),
  ]),
  'box-shadow': `none | [ ${shadow(32)} | inset && ${shadow(8)} ]#{1,4}`,
  gap: `[ ${GAP} ]{1,2}`,
  'row-gap': GAP,
  'column-gap': GAP,
  font: `[ [ normal | italic | oblique ] || <weight> ]? ${FONT_SIZE} [ / <line> ]? <family>#{1,20}`,
  'font-family': '<family>#{1,20}',
  'font-size': FONT_SIZE,
  'font-style': 'normal | italic | oblique',
  'font-weight': '<weight>',
  'font-stretch': 'normal | condensed | semi-condensed | semi-expanded | expanded',
  'font-variant-numeric': 'normal | tabular-nums | proportional-nums | lining-nums | oldstyle-nums',
  'line-height': '<line>',
  'letter-spacing': 'normal | <size [-1,6]>',
  'text-align': 'start | end | left | right | center',
  'text-transform': 'none | uppercase | lowercase | capitalize',
  'text-decoration': 'none | underline',
  'text-shadow': `none | ${shadow(16)}#{1,4}`,
  width: 'auto | <size [32,640]> | <percent [10,100]>',
  height: 'auto | <size [0,384]>',
  'min-height': 'auto | <size [0,320]>',
  'max-width': 'none | <size [96,1600]> | <percent [50,100]>',
  'aspect-ratio': 'auto | <number [1,32]> [ / <number [1,32]> ]?',
  'object-fit': 'cover | contain',
  display: 'none | block | inline-block | flex | grid',
  'flex-direction': 'row | column',
  'grid-template-columns': 'none | <track [1,1]>{1,2} | repeat( <number [1,2]> , <track [1,1]> )',
  'justify-self': 'start | center | end | stretch',
  'justify-content': 'start | center | end | space-between',
  opacity: '<part [75,100]>',
  transform: `none | [ translate( <size [-6,6]>#{1,2} ) | translateX( <size [-6,6]> ) | translateY( <size [-6,6]> ) ] ||
    scale( <part [96,104]> ) || rotate( <angle [-1,1]> )`,
  filter: `none | brightness( <part [90,115]> ) || contrast( <part [100,120]> ) || saturate( <part [0,200]> ) ||
    grayscale( <part [0,100]> ) || sepia( <part [0,100]> )`,
  'backdrop-filter': 'none | blur( <size [0,24]> ) || saturate( <part [0,200]> )',
  '-webkit-backdrop-filter': 'none | blur( <size [0,24]> ) || saturate( <part [0,200]> )',
  cursor: 'auto | default | pointer',
  transition: 'none | [ <word> || <time [0,10]> || <easing> || <time [0,10]> ]#{1,8}',
  animation: `none | [ <word> || <time [0,60]> || <easing> || <time [0,60]> || [ infinite | <number [1,99]> ] ||
    [ normal | reverse | alternate ] || [ forwards | backwards | both ] ]#{1,4}`,
}

const lexer = new Lexer(
  // The size of letters takes no em: it would multiply from part to part.
  { types: { ...TYPES, type: measure({ px: 1, rem: 16, pt: 4 / 3 }) }, properties: PROPERTIES },
  { generate },
  {},
)

export const isProperty = (name: string): boolean => Object.hasOwn(PROPERTIES, name)

/** The text has no var(). */
export const isAllowed = (property: string, text: string): boolean =>
  lexer.matchProperty(property, text).matched !== null

const UNITS: Readonly<Record<string, string>> = {
  size: 'px',
  type: 'px',
  percent: '%',
  part: '%',
  angle: 'deg',
  time: 's',
}

/** The notation of CSS for values, with the limits in words: `[ 0 to 48px ]{1,4}`. */
export const allowedValues = (property: string): string =>
  (PROPERTIES[property] ?? '')
    .replaceAll(/<(\w+) \[(-?\d+),(-?\d+)\]>/g, (_, type, min, max) => `${min} to ${max}${UNITS[type] ?? ''}`)
    .replaceAll(/ \| clamp\([^)]*\)|\n\s*/g, '')
