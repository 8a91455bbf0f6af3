import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/codes.en.ts'),
  de: () => import('./translations/de/codes.de.ts'),
  fr: () => import('./translations/fr/codes.fr.ts'),
  es: () => import('./translations/es/codes.es.ts'),
  pt: () => import('./translations/pt/codes.pt.ts'),
  ja: () => import('./translations/ja/codes.ja.ts'),
  zh: () => import('./translations/zh/codes.zh.ts'),
  ar: () => import('./translations/ar/codes.ar.ts'),
  hi: () => import('./translations/hi/codes.hi.ts'),
  uk: () => import('./translations/uk/codes.uk.ts'),
})

export const codesWords = () => translation
