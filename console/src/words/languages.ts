import type { Lang } from '../../../embed/src/words.ts'
import type { Words } from './translation.ts'

interface Choice {
  /** In the language itself. */
  readonly name: string
  readonly load: () => Promise<{ readonly translation: Words }>
}

/** The languages of the console, which are those of polls. One of them is loaded. */
export const LANGUAGES: Readonly<Record<Lang, Choice>> = {
  en: { name: 'English', load: () => import('./translations/texts.en.ts') },
  de: { name: 'Deutsch', load: () => import('./translations/texts.de.ts') },
  fr: { name: 'Français', load: () => import('./translations/texts.fr.ts') },
  es: { name: 'Español', load: () => import('./translations/texts.es.ts') },
  pt: { name: 'Português', load: () => import('./translations/texts.pt.ts') },
  ja: { name: '日本語', load: () => import('./translations/texts.ja.ts') },
  zh: { name: '中文', load: () => import('./translations/texts.zh.ts') },
  ar: { name: 'العربية', load: () => import('./translations/texts.ar.ts') },
  hi: { name: 'हिन्दी', load: () => import('./translations/texts.hi.ts') },
  uk: { name: 'Українська', load: () => import('./translations/texts.uk.ts') },
}
