import { LAYER_ORDER } from './layers.ts'
import base from './styles/base.css' with { type: 'text' }
import frame from './styles/frame.css' with { type: 'text' }
import way from './styles/integrity.css' with { type: 'text' }
import bounds from './styles/integrity-bounds.css' with { type: 'text' }
import focus from './styles/integrity-focus.css' with { type: 'text' }
import parts from './styles/integrity-parts.css' with { type: 'text' }
import pictures from './styles/integrity-pictures.css' with { type: 'text' }
import results from './styles/integrity-results.css' with { type: 'text' }
import theme from './styles/theme.css' with { type: 'text' }
import waiting from './styles/waiting.css' with { type: 'text' }

/** What keeps a poll honest. Of two rules of the same weight the later one counts. */
export const integrity: string = [way, bounds, parts, results, pictures, focus].join('\n')

/** What every poll looks like, whatever its theme. It comes before a brand's own stylesheet. */
export const stylesheet: string = [LAYER_ORDER, integrity, base, theme].join('\n')

/** All that the root of an element wears, but for the colours of the theme. */
export const elementStylesheet: string = [waiting, frame, stylesheet].join('\n')
