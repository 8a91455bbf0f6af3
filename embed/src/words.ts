/** The words of our interface. Titles and labels are the brand's, in any language. */
export interface Words {
  readonly closed: string
  /** Before a time, as is `closes`: `Opens in 3 hours`. */
  readonly opens: string
  readonly closes: string
  readonly notOpenYet: string
  readonly thanks: string
  readonly hidden: string
  /** Why results are hidden, by the visibility of the poll. */
  readonly afterVote: string
  readonly afterClose: string
  readonly never: string
  /** Between two choices. */
  readonly or: string
  readonly winner: string
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
  /** At the end of a campaign, while votes wait to be sent. */
  readonly sending: string
  readonly noPolls: string
  /** The page for a missing poll, campaign or brand. */
  readonly missing: string
  /** On a hosted page without JavaScript. */
  readonly needsScript: string
  /** The share row of a hosted page. */
  readonly share: string
  readonly copyLink: string
  readonly copied: string
  readonly qrCode: string
  /** After a vote. `#` stands for the label of the choice, and for the name of the brand. */
  readonly shareAnswer: string
  readonly myAnswer: string
  readonly moreFrom: string
  /** Words that fit a result, one line each; `#` stands for the votes, as in `100 votes`. */
  readonly firstVote: string
  readonly roundCount: string
  readonly deadHeat: string
  readonly oneApart: string
  readonly onlyOne: string
  readonly amongFew: string
  readonly amongMost: string
  /** Read out after a vote. `#` stands for the label of the choice, and for the button that follows. */
  readonly yourAnswer: string
  readonly below: string
  /** The page of a QR code. `#` stands for the kind of file. */
  readonly print: string
  readonly download: string
  /** Above a draft that its owner shows by a signed link. */
  readonly preview: string
  /** To an earlier step of a campaign. */
  readonly back: string
  /** At the end of a campaign: `#` stands for how often, `##` for how many polls count. */
  readonly majority: string
  readonly notCounted: string
  /** Without a vote, where the poll allows it. */
  readonly showResults: string
  /** An open poll without votes; `noVotes` is a closed one. */
  readonly beFirst: string
  readonly tie: string
  readonly addToCalendar: string
  /** Beside a result: leads to the page that counts the votes again. */
  readonly checkCount: string
  /** In a frame without storage, before the address of the poll. */
  readonly forgetful: string
  /** On the button that casts the chosen answer. `#` stands for its label. */
  readonly voteFor: string
  /** The field for a code, on a poll that only people with a code can vote on. */
  readonly yourCode: string
  readonly codeMissing: string
  /** `#` stands for a character, and in the next for how many there are. */
  readonly codeLetter: string
  readonly codeLength: string
  /** The code is complete; whether it is valid is known with the vote. */
  readonly codeReady: string
  readonly codeInvalid: string
  readonly codeUsed: string
  readonly codeWait: string
  /** At a kiosk. */
  readonly nextPerson: string
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
  unreachable: 'Loading failed.',
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
export const wordsOf = (lang: string | undefined): Words => spoken.get(langOf(lang)) ?? [...spoken.values()][0] ?? FEW

export const directionOf = (lang: string): 'rtl' | 'ltr' => (langOf(lang) === 'ar' ? 'rtl' : 'ltr')

/** Made once for a language: making them takes longer than the rest of a poll. */
const plurals: Partial<Record<Lang, Intl.PluralRules>> = {}
const numbers: Record<string, Intl.NumberFormat> = {}

export function votesIn(lang: string | undefined, count: number): string {
  const known = langOf(lang)
  const { votes } = wordsOf(known)
  plurals[known] ??= new Intl.PluralRules(known)
  numbers[known] ??= new Intl.NumberFormat(known)
  return (votes[plurals[known].select(count)] ?? votes.other).replace('#', numbers[known].format(count))
}

export function percentIn(lang: string | undefined, percent: number, digits: 0 | 1): string {
  const known = langOf(lang)
  const key = known + digits
  numbers[key] ??= new Intl.NumberFormat(known, { style: 'percent', minimumFractionDigits: digits })
  return numbers[key].format(percent / 100)
}
