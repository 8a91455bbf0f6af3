/** The words of our interface. Titles and labels are the brand's, in any language. */
export interface Words {
  readonly closed: string
  readonly opens: string
  readonly notOpenYet: string
  readonly thanks: string
  readonly hidden: string
  readonly noVotes: string
  /** By the plural forms of the language; `#` stands for the number. */
  readonly votes: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
  readonly edited: string
  readonly notSent: string
  readonly waiting: string
  readonly kept: string
  readonly keptOffline: string
  readonly slowDown: string
  readonly late: string
  readonly votedBefore: string
  readonly expired: string
  readonly unavailable: string
  readonly unreachable: string
  readonly offline: string
  readonly unnamed: string
  readonly retry: string
  readonly loading: string
  readonly more: string
  readonly next: string
  readonly completed: string
  readonly noPolls: string
  /** The page for a missing poll, campaign or brand. */
  readonly missing: string
  /** The share row of a hosted page. */
  readonly share: string
  readonly copyLink: string
  readonly copied: string
  readonly qrCode: string
}

/** Notices on a poll, such as a vote that was not sent. */
export type Trouble = Extract<
  keyof Words,
  'notSent' | 'slowDown' | 'late' | 'votedBefore' | 'expired' | 'unavailable' | 'unreachable' | 'missing' | 'unnamed'
>

export const LANGS = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'zh', 'ar', 'hi', 'uk'] as const

export type Lang = (typeof LANGS)[number]

/** The words in use until others are loaded. */
const FEW = {
  loading: 'Loading',
  unreachable: 'This could not be loaded.',
  retry: 'Try again',
} as Words

const spoken = new Map<Lang, Words>()

/** Registers a language. */
export const learn = (lang: Lang, words: Words): void => void spoken.set(lang, words)

export const isSpoken = (lang: Lang): boolean => spoken.has(lang)

/** The supported language for a tag like `pt-BR`; English where none fits. */
export function langOf(tag: string | null | undefined): Lang {
  const base = (tag ?? '').toLowerCase().split('-')[0]
  return LANGS.find((lang) => lang === base) ?? 'en'
}

/** Until the words of a language are loaded, another language is shown. */
export const wordsOf = (lang: string): Words => spoken.get(langOf(lang)) ?? [...spoken.values()][0] ?? FEW

export const directionOf = (lang: string): 'rtl' | 'ltr' => (langOf(lang) === 'ar' ? 'rtl' : 'ltr')

export function votesIn(lang: string, count: number): string {
  const known = langOf(lang)
  const { votes } = wordsOf(known)
  const form = votes[new Intl.PluralRules(known).select(count)] ?? votes.other
  return form.replace('#', new Intl.NumberFormat(known).format(count))
}
