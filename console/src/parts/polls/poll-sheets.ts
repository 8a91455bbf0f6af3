import type { ThemeView } from '../../../../embed/src/poll-view.ts'
import { themeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import { learn } from '../../../../embed/src/words.ts'
import { language } from '../../words/words.ts'
import { POLL_LANGUAGES } from './poll-languages.ts'
import { sheetOf } from './sheet.ts'

async function sheetAt(url: string): Promise<CSSStyleSheet> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return sheetOf(await response.text())
}

export interface PollSheets {
  readonly poll: CSSStyleSheet
  /** The stylesheet of the brand as the service delivers it. */
  readonly brand: CSSStyleSheet | null
}

/** Loads the stylesheets of a preview, and the words of polls in the language of the console. */
export async function pollSheets({ customCssUrl }: Pick<ThemeView, 'customCssUrl'>): Promise<PollSheets> {
  const [poll, brand] = await Promise.all([
    sheetAt('/embed/poll.css'),
    customCssUrl ? sheetAt(new URL(customCssUrl).pathname) : null,
    POLL_LANGUAGES[language.lang]().then((words) => learn(language.lang, words)),
  ])
  return { poll, brand }
}

/** In the order in which they apply. */
export const sheetsWith = ({ poll, brand }: PollSheets, theme: ThemeView): CSSStyleSheet[] => [
  poll,
  sheetOf(themeStyles(theme)),
  ...(brand ? [brand] : []),
]
