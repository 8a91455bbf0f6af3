const words = (text: string): Set<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

export const SVG = 'http://www.w3.org/2000/svg'
export const XLINK = 'http://www.w3.org/1999/xlink'

/** The namespaces of drawing programs' private data, which no viewer shows: dropped silently. */
const EDITORS =
  /inkscape\.org|sodipodi|w3\.org\/1999\/02\/22-rdf|creativecommons\.org|web\.resource\.org\/cc|purl\.org\/dc|ns\.adobe\.com|bohemiancoding\.com|serif\.com|figma\.com|vectornator\.io|boxy-svg\.com/i

export const isEditors = (space: string): boolean => EDITORS.test(space)

/** All that a still picture needs. Nothing here runs, loads or moves anything. */
export const ELEMENTS = words(`
  svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath style
  linearGradient radialGradient stop pattern clipPath mask marker filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
  feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`)

export const SVG_ATTRIBUTES = words(`
  alignment-baseline amplitude azimuth baseFrequency baseline-shift bias class clip-path clip-rule clipPathUnits color
  color-interpolation color-interpolation-filters color-rendering cx cy d diffuseConstant direction display divisor
  dominant-baseline dx dy edgeMode elevation enable-background exponent fill fill-opacity fill-rule filter filterUnits
  flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
  fr fx fy glyph-orientation-vertical gradientTransform gradientUnits height id image-rendering in in2 intercept
  isolation k1 k2 k3 k4 kernelMatrix kernelUnitLength lang lengthAdjust letter-spacing lighting-color limitingConeAngle
  marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type maskContentUnits maskUnits
  media method mix-blend-mode mode numOctaves offset opacity operator order overflow paint-order patternContentUnits
  patternTransform patternUnits pathLength pointer-events points pointsAtX pointsAtY pointsAtZ preserveAlpha
  preserveAspectRatio primitiveUnits r radius refX refY result role rotate rx ry scale seed shape-rendering side slope
  spacing specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles stop-color stop-opacity
  stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width
  style surfaceScale systemLanguage tableValues targetX targetY text-anchor text-decoration text-rendering textLength
  transform transform-box transform-origin type unicode-bidi values vector-effect version viewBox visibility white-space
  width word-spacing writing-mode x x1 x2 xChannelSelector y y1 y2 yChannelSelector z`)

/** CSS functions: colours, sizes and transforms within the picture, and `url` for references within the same file. */
export const SVG_FUNCTIONS = words(`
  url rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var calc min max clamp
  matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy cubic-bezier steps
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia path inset circle ellipse
  polygon not is where and nth-child nth-last-child nth-of-type nth-last-of-type lang`)
