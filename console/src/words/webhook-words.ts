import type { WebhookEventType } from '../../../sdk/src/index.ts'
import { EVENT_MEANINGS } from './event-meanings.ts'
import { inLanguage } from './words.ts'

/** Loaded with the pages, which wait for them. */
const { translation } = await inLanguage({
  en: () => import('./translations/en/webhooks.en.ts'),
  de: () => import('./translations/de/webhooks.de.ts'),
  fr: () => import('./translations/fr/webhooks.fr.ts'),
  es: () => import('./translations/es/webhooks.es.ts'),
  pt: () => import('./translations/pt/webhooks.pt.ts'),
  ja: () => import('./translations/ja/webhooks.ja.ts'),
  zh: () => import('./translations/zh/webhooks.zh.ts'),
  ar: () => import('./translations/ar/webhooks.ar.ts'),
  hi: () => import('./translations/hi/webhooks.hi.ts'),
  uk: () => import('./translations/uk/webhooks.uk.ts'),
})

export const webhookWords = () => translation

const eventNames: Partial<Record<WebhookEventType, string>> = translation.event

/** A new event is shown in the words of the reference until the console has words of its own for it. */
export const eventWords = (type: WebhookEventType): string => eventNames[type] ?? EVENT_MEANINGS[type]
