import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/campaigns.en.ts'),
  de: () => import('./translations/campaigns.de.ts'),
  fr: () => import('./translations/campaigns.fr.ts'),
  es: () => import('./translations/campaigns.es.ts'),
  pt: () => import('./translations/campaigns.pt.ts'),
  ja: () => import('./translations/campaigns.ja.ts'),
  zh: () => import('./translations/campaigns.zh.ts'),
  ar: () => import('./translations/campaigns.ar.ts'),
  hi: () => import('./translations/campaigns.hi.ts'),
  uk: () => import('./translations/campaigns.uk.ts'),
})

export const campaignWords = () => translation
