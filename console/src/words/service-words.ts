import type { LANGUAGES } from './languages.ts'
import type { ServiceTexts } from './service/service.en.ts'
import { language } from './words.ts'

type Load = () => Promise<{ readonly texts: ServiceTexts }>

/** By language. Few people are operators, so these texts are apart from those of the first load. */
const TEXTS: Readonly<Record<keyof typeof LANGUAGES, Load>> = {
  en: () => import('./service/service.en.ts'),
  de: () => import('./service/service.de.ts'),
  fr: () => import('./service/service.fr.ts'),
  es: () => import('./service/service.es.ts'),
  pt: () => import('./service/service.pt.ts'),
  ja: () => import('./service/service.ja.ts'),
  zh: () => import('./service/service.zh.ts'),
  ar: () => import('./service/service.ar.ts'),
  hi: () => import('./service/service.hi.ts'),
  uk: () => import('./service/service.uk.ts'),
}

let texts: ServiceTexts | null = null

/** Before the page is shown. */
export async function loadServiceWords(): Promise<void> {
  texts = (await TEXTS[language.lang]()).texts
}

export function serviceWords(): ServiceTexts {
  if (!texts) throw new Error('the words of this page are not loaded')
  return texts
}
