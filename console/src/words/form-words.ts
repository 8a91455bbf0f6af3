import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/forms.en.ts'),
  de: () => import('./translations/de/forms.de.ts'),
  fr: () => import('./translations/fr/forms.fr.ts'),
  es: () => import('./translations/es/forms.es.ts'),
  pt: () => import('./translations/pt/forms.pt.ts'),
  ja: () => import('./translations/ja/forms.ja.ts'),
  zh: () => import('./translations/zh/forms.zh.ts'),
  ar: () => import('./translations/ar/forms.ar.ts'),
  hi: () => import('./translations/hi/forms.hi.ts'),
  uk: () => import('./translations/uk/forms.uk.ts'),
})

export const formWords = () => translation
