const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const AT_RULES = words('media supports container keyframes')

const COLOR_FUNCTIONS = 'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark contrast-color'
const IMAGE_FUNCTIONS = `linear-gradient radial-gradient conic-gradient repeating-linear-gradient
  repeating-radial-gradient repeating-conic-gradient`
const MATHS = 'var calc min max clamp round abs env minmax repeat fit-content'
const MOVES = `translate translatex translatey translatez translate3d scale scalex scaley scale3d rotate rotatex rotatey
  rotatez rotate3d skew skewx skewy perspective cubic-bezier steps linear`
const FILTERS = 'blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia'
const SHAPES = 'circle ellipse inset polygon'
export const PSEUDO_FUNCTIONS = words('is where not nth-child nth-last-child nth-of-type nth-last-of-type lang dir')

export const FUNCTIONS = words(
  [COLOR_FUNCTIONS, IMAGE_FUNCTIONS, MATHS, MOVES, FILTERS, SHAPES, ...PSEUDO_FUNCTIONS].join(' '),
)

/** Functions that load something, draw foreign content, or read from the page. */
export const ADDRESS_FUNCTIONS = words(`url src image image-set -webkit-image-set cross-fade -webkit-cross-fade element
  -moz-element paint attr expression`)

export const PSEUDO_CLASSES = words(`hover active focus focus-visible focus-within disabled enabled
  first-child last-child only-child first-of-type last-of-type only-of-type empty link visited any-link`)

/** `before` and `after` are allowed with a single colon as well. */
export const PSEUDO_ELEMENTS = words('before after selection')

/** The attributes of our own markup. */
export const ATTRIBUTES = words(`aria-pressed aria-disabled data-option data-state data-scheme data-radius data-density
  data-font data-label data-align data-elevation class lang dir`)

/** A stylesheet cannot reach anything outside a poll, so these names select the poll itself. */
export const OUTER_WORDS = words(':root :host html body')

const FAMILIES =
  /^(background|border|margin|padding|text-decoration|transition|animation|outline|list-style|inset|place)(-|$)/
const PROPERTIES = words(`accent-color align-content align-items align-self appearance aspect-ratio backdrop-filter
  block-size bottom box-decoration-break box-shadow box-sizing caret-color clip-path color color-scheme column-gap content
  cursor display fill filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap font font-family
  font-feature-settings font-kerning font-optical-sizing font-size font-stretch font-style font-synthesis font-variant
  font-variant-caps font-variant-ligatures font-variant-numeric font-variation-settings font-weight font-width gap
  grid-auto-columns grid-auto-flow grid-auto-rows grid-template-columns grid-template-rows height hyphens inline-size
  isolation justify-content justify-items justify-self left letter-spacing line-height max-block-size max-height
  max-inline-size max-width min-block-size min-height min-inline-size min-width mix-blend-mode object-fit object-position
  opacity overflow overflow-wrap overflow-x overflow-y pointer-events position right rotate row-gap scale stroke
  stroke-linecap stroke-width tab-size text-align text-indent text-overflow text-rendering text-shadow text-size-adjust
  text-transform text-underline-offset text-underline-position text-wrap text-wrap-mode text-wrap-style top transform
  transform-origin translate user-select vertical-align visibility white-space width will-change word-break word-spacing
  word-wrap z-index`)
const PREFIXED = words(`-webkit-font-smoothing -moz-osx-font-smoothing -webkit-tap-highlight-color -webkit-appearance
  -moz-appearance -webkit-backdrop-filter -webkit-background-clip -webkit-text-fill-color -webkit-text-stroke
  -webkit-text-stroke-color -webkit-text-stroke-width -webkit-user-select -webkit-text-size-adjust -webkit-hyphens
  -webkit-box-shadow -webkit-border-radius -webkit-transition -webkit-transform -webkit-filter`)

export const isKnownProperty = (name: string): boolean =>
  PROPERTIES.has(name) || PREFIXED.has(name) || FAMILIES.test(name)
