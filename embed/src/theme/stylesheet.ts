import base from '../styles/base.css' with { type: 'text' }
import coin from '../styles/coin.css' with { type: 'text' }
import frame from '../styles/frame.css' with { type: 'text' }
import integrityRules from '../styles/integrity.css' with { type: 'text' }
import around from '../styles/integrity-around.css' with { type: 'text' }
import layout from '../styles/layout.css' with { type: 'text' }
import theme from '../styles/theme.css' with { type: 'text' }
import waiting from '../styles/waiting.css' with { type: 'text' }
import { focusCss } from './focus-css.ts'
import { LAYER_ORDER } from './layers.ts'
import { themeStyles } from './theme-styles.ts'

/** Colours of a poll whose theme has none, or is not loaded yet. */
const plain = themeStyles({ accent: null, background: null, foreground: null, fontStack: 'SYSTEM' })

/** The integrity layer. */
export const integrity: string = [around, integrityRules].join('\n')

/** The base layer of every poll, before a brand's own stylesheet. */
export const stylesheet: string = [LAYER_ORDER, integrity, layout, base, focusCss, coin, theme, plain].join('\n')

/** All styles of an element's root except the theme's colours. */
export const elementStylesheet: string = [waiting, frame, stylesheet].join('\n')
