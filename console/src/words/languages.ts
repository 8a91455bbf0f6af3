import type { Translation, Words } from './translation.ts'

interface Choice {
  /** In the language itself. */
  readonly name: string
  readonly load: () => Promise<Words>
}

/** Complete by the time it is loaded. */
const whole = ({ translation }: { readonly translation: Translation }): Words => translation as Words

/** The languages of the console, of which one is loaded. Another one joins with a file in `translations` and a line here. */
export const LANGUAGES = {
  en: { name: 'English', load: async () => whole(await import('./translations/texts.en.ts')) },
  de: { name: 'Deutsch', load: async () => whole(await import('./translations/texts.de.ts')) },
  fr: { name: 'Français', load: async () => whole(await import('./translations/texts.fr.ts')) },
  es: { name: 'Español', load: async () => whole(await import('./translations/texts.es.ts')) },
  pt: { name: 'Português', load: async () => whole(await import('./translations/texts.pt.ts')) },
  ja: { name: '日本語', load: async () => whole(await import('./translations/texts.ja.ts')) },
  zh: { name: '中文', load: async () => whole(await import('./translations/texts.zh.ts')) },
  ar: { name: 'العربية', load: async () => whole(await import('./translations/texts.ar.ts')) },
  hi: { name: 'हिन्दी', load: async () => whole(await import('./translations/texts.hi.ts')) },
  uk: { name: 'Українська', load: async () => whole(await import('./translations/texts.uk.ts')) },
} as const satisfies Readonly<Record<string, Choice>>
