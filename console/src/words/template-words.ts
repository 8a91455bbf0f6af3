import { inLanguage } from './words.ts'

/** Loaded with the page of a new poll, which waits for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/templates.en.ts'),
  de: () => import('./translations/de/templates.de.ts'),
  fr: () => import('./translations/fr/templates.fr.ts'),
  es: () => import('./translations/es/templates.es.ts'),
  pt: () => import('./translations/pt/templates.pt.ts'),
  ja: () => import('./translations/ja/templates.ja.ts'),
  zh: () => import('./translations/zh/templates.zh.ts'),
  ar: () => import('./translations/ar/templates.ar.ts'),
  hi: () => import('./translations/hi/templates.hi.ts'),
  uk: () => import('./translations/uk/templates.uk.ts'),
})

export const templateWords = () => translation
