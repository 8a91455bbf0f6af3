import { inLanguage } from './words.ts'

/** Loaded with the list of polls, which waits for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/listing.en.ts'),
  de: () => import('./translations/de/listing.de.ts'),
  fr: () => import('./translations/fr/listing.fr.ts'),
  es: () => import('./translations/es/listing.es.ts'),
  pt: () => import('./translations/pt/listing.pt.ts'),
  ja: () => import('./translations/ja/listing.ja.ts'),
  zh: () => import('./translations/zh/listing.zh.ts'),
  ar: () => import('./translations/ar/listing.ar.ts'),
  hi: () => import('./translations/hi/listing.hi.ts'),
  uk: () => import('./translations/uk/listing.uk.ts'),
})

export const listingWords = () => translation
