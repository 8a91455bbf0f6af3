import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/campaigns.en.ts'),
  de: () => import('./translations/de/campaigns.de.ts'),
  fr: () => import('./translations/fr/campaigns.fr.ts'),
  es: () => import('./translations/es/campaigns.es.ts'),
  pt: () => import('./translations/pt/campaigns.pt.ts'),
  ja: () => import('./translations/ja/campaigns.ja.ts'),
  zh: () => import('./translations/zh/campaigns.zh.ts'),
  ar: () => import('./translations/ar/campaigns.ar.ts'),
  hi: () => import('./translations/hi/campaigns.hi.ts'),
  uk: () => import('./translations/uk/campaigns.uk.ts'),
})

export const campaignWords = () => translation
