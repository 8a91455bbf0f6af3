import { inLanguage } from './words.ts'

/** Loaded with the page, which waits for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/service.en.ts'),
  de: () => import('./translations/service.de.ts'),
  fr: () => import('./translations/service.fr.ts'),
  es: () => import('./translations/service.es.ts'),
  pt: () => import('./translations/service.pt.ts'),
  ja: () => import('./translations/service.ja.ts'),
  zh: () => import('./translations/service.zh.ts'),
  ar: () => import('./translations/service.ar.ts'),
  hi: () => import('./translations/service.hi.ts'),
  uk: () => import('./translations/service.uk.ts'),
})

export const serviceWords = () => translation
