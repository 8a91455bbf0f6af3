import { LANGUAGES } from './languages.ts'
import type { Words } from './translation.ts'

const RIGHT_TO_LEFT = ['ar']

export interface Language {
  readonly lang: keyof typeof LANGUAGES
  readonly dir: 'ltr' | 'rtl'
  readonly words: Words
}

/** Loaded before anything is rendered. */
export let language: Language = { lang: 'en', dir: 'ltr', words: {} as Words }

/** Before the first render: a page is in one language until it is loaded again. */
export async function loadLanguage(wanted: string): Promise<void> {
  const lang = Object.hasOwn(LANGUAGES, wanted) ? (wanted as keyof typeof LANGUAGES) : 'en'
  language = {
    lang,
    dir: RIGHT_TO_LEFT.includes(lang) ? 'rtl' : 'ltr',
    words: (await LANGUAGES[lang].load()).translation as Words,
  }
  document.documentElement.lang = language.lang
  document.documentElement.dir = language.dir
}

type Load<Part> = Readonly<Record<Language['lang'], () => Promise<unknown>>> & { readonly en: () => Promise<Part> }

/** Words that are loaded with a page. A page that lacks a language does not compile. */
export const inLanguage = <Part>(load: Load<Part>): Promise<Part> => load[language.lang]() as Promise<Part>

export const words = (): Words => language.words

/** A name that runs the other way than the texts would carry their order along: it is set apart. */
export const isolated = (text: string): string =>
  language.dir === 'rtl' || /[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text

export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? whole
    return typeof value === 'number' ? count(value) : isolated(value)
  })

export const count = (value: number): string => new Intl.NumberFormat(language.lang).format(value)

/** With at most one digit behind the point. */
export const decimal = (value: number): string =>
  new Intl.NumberFormat(language.lang, { maximumFractionDigits: 1 }).format(value)

/** A contrast, as "4.5:1". Rounded down, so that one that is too low never looks sufficient. */
export const ratio = (value: number): string => `${decimal(Math.floor(value * 10) / 10)}:1`

export const percent = (share: number): string =>
  new Intl.NumberFormat(language.lang, { style: 'percent', maximumFractionDigits: 0 }).format(share)

export const moment = (at: string | number | Date): string =>
  new Intl.DateTimeFormat(language.lang, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))

const date = (at: string): string =>
  new Intl.DateTimeFormat(language.lang, { dateStyle: 'medium' }).format(new Date(at))

/** "PNG, SVG or WebP". */
export const oneOf = (items: readonly string[]): string =>
  new Intl.ListFormat(language.lang, { type: 'disjunction' }).format(items)

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** "in 3 hours", "2 days ago"; a date once it is a month away. */
export function fromNow(at: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000)
  if (Math.abs(seconds) > 30 * 86_400) return date(at)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(language.lang, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
