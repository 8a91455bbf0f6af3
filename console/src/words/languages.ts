import type { Lang } from '../../../embed/src/words.ts'
import type { Translation, Words } from './translation.ts'

interface Choice {
  /** In the language itself. */
  readonly name: string
  readonly load: () => Promise<{ readonly translation: Translation<Words> }>
}

/** The languages of the console, which are those of polls. One of them is loaded. */
export const LANGUAGES: Readonly<Record<Lang, Choice>> = {
  en: { name: 'English', load: () => import('./translations/en/texts.en.ts') },
  de: { name: 'Deutsch', load: () => import('./translations/de/texts.de.ts') },
  fr: { name: 'Français', load: () => import('./translations/fr/texts.fr.ts') },
  es: { name: 'Español', load: () => import('./translations/es/texts.es.ts') },
  pt: { name: 'Português', load: () => import('./translations/pt/texts.pt.ts') },
  ja: { name: '日本語', load: () => import('./translations/ja/texts.ja.ts') },
  zh: { name: '中文', load: () => import('./translations/zh/texts.zh.ts') },
  ar: { name: 'العربية', load: () => import('./translations/ar/texts.ar.ts') },
  hi: { name: 'हिन्दी', load: () => import('./translations/hi/texts.hi.ts') },
  uk: { name: 'Українська', load: () => import('./translations/uk/texts.uk.ts') },
}
