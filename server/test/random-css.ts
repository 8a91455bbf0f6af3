/** The same seed gives the same stylesheets on every machine: xorshift. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % limit
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0]
  }

  times<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, make)
  }
}

type Words = readonly [string, ...string[]]
const words = (text: string): Words => text.trim().split(/\s+/) as unknown as Words

const PLACES = words(`* span p svg button img article .poll .brand .logo .title .text .options .choice .option .option-a
  .option-b .has-picture .frame .picture .label .words .result .bar .fill .share .figure .mark .unmarked .ring .foot .status
  .watermark`)
const STATES = words(':hover :focus :focus-visible :first-child :last-child [aria-pressed] ::before ::after :not(.a)')

const LENGTHS = words('0 1px 8px 1.5em 40px 50% 100% 20rem 300vw 99cqi 1e6px 1e9px calc(1px+50vh) max(1e5px,2em)')
const SIGNED = words('0 -4px 12px -50% 100% -9999px 9999px 50vw calc(100%-1px) auto')
const FACTORS = words('0 0.01 0.5 1 1.2 9 -1 50% 1000')
const COLORS = words('#fff #000 transparent red currentColor rgb(0_0_0/0) #80808080 color-mix(in_srgb,red,#fff0)')
const ANGLES = words('0deg 3deg 90deg 180deg -1turn')
const SHADOWS = words('none 0_0_0_16px_#fff inset_0_0_0_8px_#000 inset_8px_0_#fff 0_16px_9px_red 16px_-16px_#000')
const MOVES =
  words(`none translate(-999px,0) translateX(120%) scale(0) scale(9) rotate(180deg) skew(80deg) rotateY(90deg)
  scaleX(-1)`)
const LIGHTS = words('none opacity(0) brightness(0) blur(40px) contrast(0) invert(1) drop-shadow(0_0_9px_#fff)')
const DISPLAYS = words(
  'none block inline inline-block flex grid inline-grid flow-root list-item table table-cell inherit',
)
const ALIGNS = words('start end center stretch baseline normal left right space-between')

const length =
  'margin padding margin-block padding-inline padding-top margin-bottom border-width border-radius gap row-gap'
const size =
  'width height min-width min-height max-width max-height inline-size block-size flex-basis font-size text-indent'

/** Each property with possible values: ordinary values, and those that would do most harm. */
const VALUES: readonly (readonly [properties: Words, values: Words])[] = [
  [words(length), LENGTHS],
  [words(size), LENGTHS],
  [words('margin margin-left margin-top left top right bottom inset translate letter-spacing'), SIGNED],
  [words('word-spacing outline-offset text-underline-offset'), SIGNED],
  [words('opacity scale line-height z-index flex-grow flex-shrink aspect-ratio stroke-width'), FACTORS],
  [words('color background background-color border-color fill stroke -webkit-text-fill-color outline-color'), COLORS],
  [words('rotate'), ANGLES],
  [words('box-shadow'), SHADOWS],
  [words('text-shadow'), words('none 0_0_9px_#fff 1px_1px_red 16px_-16px_2px_#000')],
  [words('transform'), MOVES],
  [words('filter backdrop-filter'), LIGHTS],
  [words('clip-path'), words('none circle(0) inset(50%) polygon(0_0,1px_0,0_1px)')],
  [words('display'), DISPLAYS],
  [words('position'), words('static relative absolute')],
  [words('visibility'), words('visible hidden collapse')],
  [words('overflow overflow-x overflow-y'), words('visible hidden clip scroll auto')],
  [words('justify-content align-content justify-items align-items justify-self align-self place-self'), ALIGNS],
  [words('flex-direction flex-flow'), words('row column wrap nowrap')],
  [
    words('grid-template-columns grid-auto-columns grid-auto-rows'),
    words('none 1fr 0 1fr_1fr 1e6px_1fr repeat(9,9px)'),
  ],
  [words('grid-auto-flow'), words('row column')],
  [words('mix-blend-mode background-blend-mode'), words('normal difference lighten screen')],
  [words('pointer-events user-select'), words('auto none')],
  [words('white-space'), words('normal nowrap pre')],
  [words('word-break overflow-wrap'), words('normal break-all anywhere')],
  [words('text-transform font-variant-caps'), words('none uppercase small-caps')],
  [words('border outline'), words('0 1px_solid_red 1e6px_solid_#fff thick_double_#000 99px_dashed_transparent')],
  [words('content'), words('"" none')],
  [
    words('background'),
    words(
      'linear-gradient(#fff,#fff) none radial-gradient(red,transparent) linear-gradient(90deg,red,red_60%,#fff) #fff red',
    ),
  ],
  [words('background-clip'), words('text border-box content-box')],
  [words('transition'), words('all_9s none opacity_99s_99s')],
  [words('animation'), words('go_1s_infinite_both none go_9s_-4s_paused')],
  [words('stroke-linecap'), words('round square')],
  [words('font'), words('1px/0_serif 900px/9_mono italic_1rem_system-ui')],
  [words('object-fit object-position vertical-align'), words('none 999px middle')],
  [words('isolation will-change appearance'), words('isolate transform none')],
] as const

const spaced = (value: string): string => value.replaceAll('_', ' ').replace(/(?<=[\w%])([+-])(?=[\w%]+\))/g, ' $1 ')

function declaration(dice: Dice): string {
  const [properties, values] = dice.of(VALUES as unknown as readonly [(typeof VALUES)[0], ...(typeof VALUES)[0][]])
  const important = dice.below(3) === 0 ? ' !important' : ''
  return `${dice.of(properties)}: ${spaced(dice.of(values))}${important}`
}

const block = (dice: Dice): string => dice.times(5, () => declaration(dice)).join('; ')

function selector(dice: Dice): string {
  const place = dice.of(PLACES)
  const state = dice.below(3) === 0 ? dice.of(STATES) : ''
  return dice.below(3) === 0 ? `${dice.of(PLACES)} ${place}${state}` : `${place}${state}`
}

const rule = (dice: Dice): string => `${dice.times(2, () => selector(dice)).join(', ')} { ${block(dice)} }`

/** A stylesheet from the CSS that brands may use. */
export const randomCss = (dice: Dice): string =>
  [...dice.times(6, () => rule(dice)), `@keyframes go { from { ${block(dice)} } 50% { ${block(dice)} } }`].join('\n')

/** CSS that the parser refuses: our own names, and properties that are not allowed. */
const REFUSED: Words = [
  'box-shadow: 0 0 0 999px #fff',
  'box-shadow: inset 0 0 0 99px #000',
  'order: 5',
  'all: unset',
  'float: right',
  'display: contents',
  'position: fixed',
  'direction: rtl',
  'zoom: 0.01',
  'contain: strict',
  'content-visibility: hidden',
  'mask: linear-gradient(transparent, transparent)',
  'grid-area: 1 / 1',
  'grid-row: 999',
  'writing-mode: vertical-rl',
  'unicode-bidi: bidi-override',
  'flex-direction: row-reverse',
  '-webkit-text-security: disc',
  'font-size-adjust: 0',
  'stroke-dasharray: 1 9',
  'offset-path: path("M -999 0 L 0 0")',
  'columns: 3 1px',
  'interactivity: inert',
  'reading-order: 9',
  '--tossup-scale: 0',
  '--tossup-opacity: 0',
  '--tossup-padding-top: 1e9px',
  '--tossup-padding-left: 1e9px',
  '--tossup-margin-top: 1e9px',
  '--tossup-choice-width: 0px',
  '--tossup-max-width: 0px',
  '--tossup-min-height: 1e9px',
  '--tossup-border-left-width: 1e9px',
  '--tossup-radius: 1e9px',
  '--tossup-rim: transparent',
]

/** The CSS of an attacker who bypassed the parser: everything important. A bare `*` would display the stylesheet itself. */
export function hostileCss(dice: Dice): string {
  const rules = dice.times(6, () => {
    const refused = dice.times(3, () => dice.of(REFUSED))
    const all = [...dice.times(5, () => declaration(dice)), ...refused]
    return `${selector(dice).replace(/^\*/, '.tossup *')} { ${all.map((each) => `${each.replace(IMPORTANT, '')} !important`).join('; ')} }`
  })
  return [...rules, `@keyframes go { from { ${block(dice)} } 50% { ${block(dice)} } }`].join('\n')
}

const IMPORTANT = / !important$/
