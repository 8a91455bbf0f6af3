/** What a poll says by itself. Titles and labels are the brand's own, in whatever language. */
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
  readonly offline: string
  readonly slowDown: string
  readonly unavailable: string
  readonly retry: string
  readonly loading: string
  readonly more: string
  readonly next: string
  readonly completed: string
  /** In place of a page that is not there. */
  readonly missing: string
  /** Under a page of its own. */
  readonly share: string
  readonly copyLink: string
  readonly copied: string
  readonly qrCode: string
}

export const LANGS = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'zh', 'ar', 'hi', 'uk'] as const

export type Lang = (typeof LANGS)[number]

const en: Words = {
  closed: 'Closed',
  opens: 'Opens',
  notOpenYet: 'Not open yet',
  thanks: 'Thank you for your vote',
  hidden: 'Results are not shown',
  noVotes: 'No votes yet',
  votes: { one: '# vote', other: '# votes' },
  edited: 'edited after its first vote',
  notSent: 'Your vote could not be sent. Please try again.',
  offline: 'You are offline. Please try again later.',
  slowDown: 'Too many votes at once. Please try again in a minute.',
  unavailable: 'This poll is not available.',
  retry: 'Try again',
  loading: 'Loading',
  more: 'Show more',
  next: 'Next',
  completed: 'All done. Thank you!',
  missing: 'There is nothing here.',
  share: 'Share',
  copyLink: 'Copy link',
  copied: 'Link copied',
  qrCode: 'QR code',
}

const spoken = new Map<Lang, Words>([['en', en]])

/** From here on this language is spoken. */
export const learn = (lang: Lang, words: Words): void => void spoken.set(lang, words)

export const isSpoken = (lang: Lang): boolean => spoken.has(lang)

/** The language that is spoken for a tag like `pt-BR`; English for all that nobody here speaks. */
export function langOf(tag: string | null | undefined): Lang {
  const base = (tag ?? '').toLowerCase().split('-')[0]
  return LANGS.find((lang) => lang === base) ?? 'en'
}

export const wordsOf = (lang: string): Words => spoken.get(langOf(lang)) ?? en

export const directionOf = (lang: string): 'rtl' | 'ltr' => (langOf(lang) === 'ar' ? 'rtl' : 'ltr')

export function votesIn(lang: string, count: number): string {
  const known = langOf(lang)
  const { votes } = wordsOf(known)
  const form = votes[new Intl.PluralRules(known).select(count)] ?? votes.other
  return form.replace('#', new Intl.NumberFormat(known).format(count))
}
