import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/account.en.ts'),
  de: () => import('./translations/de/account.de.ts'),
  fr: () => import('./translations/fr/account.fr.ts'),
  es: () => import('./translations/es/account.es.ts'),
  pt: () => import('./translations/pt/account.pt.ts'),
  ja: () => import('./translations/ja/account.ja.ts'),
  zh: () => import('./translations/zh/account.zh.ts'),
  ar: () => import('./translations/ar/account.ar.ts'),
  hi: () => import('./translations/hi/account.hi.ts'),
  uk: () => import('./translations/uk/account.uk.ts'),
})

export const accountWords = () => translation
