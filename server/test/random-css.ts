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

const PLACES =
  words(`.poll .brand .logo .title .options .option .option-a .option-b .has-picture .is-leader .frame .picture
  .label .result .bar .fill .share .mark .foot .status .watermark .poll .option .option-b .label .result .bar * .choice .words`)
const STATES = words(':hover :focus :focus-visible :first-child :last-child [aria-pressed] :not(.option-a) ::before')

const LENGTHS = words('0 1px 8px 32px 40px 48px 2em 3rem 96px clamp(0px,50vw,32px) 20rem 384px 1e9px calc(1px+50vh)')
const SIGNED = words('0 -1px 12px -12px 32px 2em auto -9999px')
const FACTORS = words('0 0.75 75% 1 2 1.2 9 -1 1000')
const COLORS = words('#fff #000 transparent red currentColor rgb(0_0_0/0) #80808080 color-mix(in_srgb,red,#fff0)')
const ANGLES = words('0deg 1deg 90deg')
const SHADOWS = words(
  'none 0_0_0_32px_#fff inset_0_0_0_8px_#000 32px_32px_64px_32px_red 16px_-16px_#000 0_0_0_99px_#fff',
)
const MOVES =
  words(`none translate(6px,-6px)_scale(.96)_rotate(-1deg) scale(1.04)_rotate(1deg) translateX(-6px) scale(9)
  skew(80deg)`)
const LIGHTS = words(
  'none brightness(.9)_grayscale(1) brightness(1.15)_contrast(1.2)_saturate(2) brightness(0) blur(40px)',
)
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
      'linear-gradient(#fff,#fff) none radial-gradient(red,transparent) linear-gradient(90deg,red_20%,#fff_50%) #fff red',
    ),
  ],
  [words('background-clip'), words('text border-box content-box')],
  [words('transition'), words('all_9s none opacity_99s_99s')],
  [words('animation'), words('go_1s_infinite_both none go_9s_-4s_paused')],
  [words('stroke-linecap'), words('round square')],
  [words('font'), words('1px/0_serif 40px/2_monospace italic_11px_system-ui')],
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

/** A stylesheet of which some is allowed, up to the limits, and some is not. */
export const randomCss = (dice: Dice): string =>
  [...dice.times(6, () => rule(dice)), `@keyframes go { from { ${block(dice)} } 50% { ${block(dice)} } }`].join('\n')
