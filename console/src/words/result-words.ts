import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/results.en.ts'),
  de: () => import('./translations/de/results.de.ts'),
  fr: () => import('./translations/fr/results.fr.ts'),
  es: () => import('./translations/es/results.es.ts'),
  pt: () => import('./translations/pt/results.pt.ts'),
  ja: () => import('./translations/ja/results.ja.ts'),
  zh: () => import('./translations/zh/results.zh.ts'),
  ar: () => import('./translations/ar/results.ar.ts'),
  hi: () => import('./translations/hi/results.hi.ts'),
  uk: () => import('./translations/uk/results.uk.ts'),
})

export const resultWords = () => translation
