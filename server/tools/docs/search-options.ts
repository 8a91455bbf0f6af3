import type { Options } from 'minisearch'

/** A section of the docs. `id` is its address. */
export interface SearchRow {
  readonly id: string
  readonly page: string
  readonly heading: string
  readonly words: string
}

/** Words of questions, which say nothing about the subject. */
const IGNORED = new Set(
  'a an and any are as at be by can change could do does for from get has have how i if in into is it its just like me my need not of on one or our own put should so some that the their them then there they this to up use using want was we what when where which who why will with without would you your'.split(
    ' ',
  ),
)

/** Words of newcomers, and what the docs call them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  cheat: 'integrity false repeated',
  color: 'colour theming',
  colour: 'theming',
  ddos: 'limit attack',
  domain: 'origin',
  duplicate: 'repeated twice idempotency',
  erase: 'forget delete',
  export: 'download csv',
  gdpr: 'privacy forget',
  handle: 'scale',
  login: 'sign session',
  monitor: 'watching',
  password: 'sign passkey',
  photo: 'picture',
  realtime: 'live stream',
  retry: 'idempotency',
  sso: 'openid',
  style: 'theming',
  team: 'people member',
  throttle: 'limit',
  translate: 'language lang',
  twice: 'device integrity',
  update: 'upgrade',
  website: 'embedding page',
  widget: 'embedding element',
}

export const WORD: RegExp = /[\p{L}\p{N}\p{M}]+/gu

/** "votes", "voted" and "voting" are one word here; so are "policy" and "policies". */
export function stemOf(word: string): string {
  const token = word.toLowerCase()
  const short = token
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/(?:y|ie?|e)$/, '')
    .replace(/([^aeiou])\1$/, '$1')
  return short.length >= 3 ? short : token
}

const synonyms = new Map(
  Object.entries(SYNONYMS).map(([word, others]) => [stemOf(word), others.split(' ').map(stemOf)]),
)

/** The words of a text, without the marks for the address of the service. */
const wordsOf = (text: string): string[] => text.replaceAll(/@\w+@/g, ' ').match(WORD) ?? []

/** Used by the tool that makes the index, and by the browser that asks it. */
export const SEARCH_OPTIONS: Options<SearchRow> = {
  fields: ['page', 'heading', 'words'],
  storeFields: ['page', 'heading', 'words'],
  tokenize: wordsOf,
  processTerm: stemOf,
  searchOptions: {
    boost: { heading: 2 },
    prefix: (term) => term.length >= 3,
    tokenize(query) {
      const words = wordsOf(query)
      const telling = words.filter((word) => !IGNORED.has(word.toLowerCase()))
      return telling.length > 0 ? telling : words
    },
    processTerm: (word) => [stemOf(word), ...(synonyms.get(stemOf(word)) ?? [])],
    // Places where a subject is explained come before places that list or tell.
    boostDocument(id: string) {
      if (/^\/docs\/(?:changes|compared|results)\b/.test(id)) return 0.25
      return id.startsWith('/docs/api/') ? 0.4 : 1
    },
  },
}
