import { inLanguage } from './words.ts'

/** Loaded with the page, which waits for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/service.en.ts'),
  de: () => import('./translations/de/service.de.ts'),
  fr: () => import('./translations/fr/service.fr.ts'),
  es: () => import('./translations/es/service.es.ts'),
  pt: () => import('./translations/pt/service.pt.ts'),
  ja: () => import('./translations/ja/service.ja.ts'),
  zh: () => import('./translations/zh/service.zh.ts'),
  ar: () => import('./translations/ar/service.ar.ts'),
  hi: () => import('./translations/hi/service.hi.ts'),
  uk: () => import('./translations/uk/service.uk.ts'),
})

export const serviceWords = () => translation
