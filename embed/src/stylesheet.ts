import { LAYER_ORDER } from './layers.ts'
import base from './styles/base.css' with { type: 'text' }
import frame from './styles/frame.css' with { type: 'text' }
import way from './styles/integrity.css' with { type: 'text' }
import around from './styles/integrity-around.css' with { type: 'text' }
import bounds from './styles/integrity-bounds.css' with { type: 'text' }
import focus from './styles/integrity-focus.css' with { type: 'text' }
import parts from './styles/integrity-parts.css' with { type: 'text' }
import pictures from './styles/integrity-pictures.css' with { type: 'text' }
import results from './styles/integrity-results.css' with { type: 'text' }
import theme from './styles/theme.css' with { type: 'text' }
import waiting from './styles/waiting.css' with { type: 'text' }
import { themeStyles } from './theme-styles.ts'

/** The integrity layer. Of two rules of the same specificity the later one wins. */
export const integrity: string = [around, way, bounds, parts, results, pictures, focus].join('\n')

/** Of a poll whose theme has no colours, or is not there yet. */
const plain = themeStyles({ accent: null, background: null, foreground: null, fontStack: 'SYSTEM' })

/** The base layer of every poll, before a brand's own stylesheet. */
export const stylesheet: string = [LAYER_ORDER, integrity, base, theme, plain].join('\n')

/** All styles of an element's root except the theme's colours. */
export const elementStylesheet: string = [waiting, frame, stylesheet].join('\n')
