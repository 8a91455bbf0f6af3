import type { Lang, Words } from '../../../../embed/src/words.ts'

/** The words on polls, for previews: one language is loaded. */
export const POLL_LANGUAGES: Readonly<Record<Lang, () => Promise<Words>>> = {
  en: async () => (await import('../../../../embed/src/languages/en.ts')).en,
  de: async () => (await import('../../../../embed/src/languages/de.ts')).de,
  fr: async () => (await import('../../../../embed/src/languages/fr.ts')).fr,
  es: async () => (await import('../../../../embed/src/languages/es.ts')).es,
  pt: async () => (await import('../../../../embed/src/languages/pt.ts')).pt,
  ja: async () => (await import('../../../../embed/src/languages/ja.ts')).ja,
  zh: async () => (await import('../../../../embed/src/languages/zh.ts')).zh,
  ar: async () => (await import('../../../../embed/src/languages/ar.ts')).ar,
  hi: async () => (await import('../../../../embed/src/languages/hi.ts')).hi,
  uk: async () => (await import('../../../../embed/src/languages/uk.ts')).uk,
}
