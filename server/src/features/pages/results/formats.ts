import { digitsFor } from '../../../../../embed/src/insight/intervals.ts'
import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { type Lang, percentIn } from '../../../../../embed/src/words.ts'

/** Numbers and times in the form of a language. Times are in UTC, since the server does not know the reader's zone. */
export interface Formats {
  count(value: number): string
  /** A share from 0 to 1 of this many votes. */
  share(value: number, votes: number): string
  /** A difference of shares, with its sign, in percentage points. */
  points(value: number): string
  day(at: number | string): string
  moment(at: number | string): string
}

const made = new Map<Lang, Formats>()

export function formatsOf(lang: Lang): Formats {
  const known = made.get(lang)
  if (known) return known
  const counts = new Intl.NumberFormat(lang)
  const points = new Intl.NumberFormat(lang, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' })
  const moments = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const formats: Formats = {
    count: (value) => counts.format(value),
    share: (value, votes) => percentIn(lang, 100 * value, digitsFor(votes)),
    points: (value) => points.format(100 * value),
    day: (at) => days.format(new Date(at)),
    moment: (at) => `${moments.format(new Date(at))} UTC`,
  }
  made.set(lang, formats)
  return formats
}

/** Words around texts of the brand, which may be written in the other direction. */
export function around(words: string, texts: Readonly<Record<string, string>>): Html {
  const parts = words.split(/\{(\w+)\}/)
  return html`${parts.map((part, i) => (i % 2 === 0 ? html`${part}` : html`<bdi>${texts[part] ?? ''}</bdi>`))}`
}
