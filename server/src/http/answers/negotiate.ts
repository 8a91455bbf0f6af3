import { LANGS, type Lang } from '../../../../embed/src/words.ts'

/** Browsers send fewer than ten elements. A 16 KB header holds thousands, and each costs a microsecond. */
const MOST_LISTED = 50

/** The first elements of a comma-separated header. */
export const listedIn = (header: string): string[] => header.split(',', MOST_LISTED)

interface Preference {
  /** In lower case: a media type or range, a content coding, or `*`. */
  readonly name: string
  readonly quality: number
}

const QUALITY = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/

/** Parses `text/csv;q=0.5`. Other parameters are ignored: none of our types or codings defines one. */
export function preferencesIn(header: string): Preference[] {
  return listedIn(header).flatMap((part): Preference[] => {
    const [name = '', ...parameters] = part.split(';', MOST_LISTED).map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    return name !== '' && QUALITY.test(quality) ? [{ name, quality: Number(quality) }] : []
  })
}

const MEDIA_RANGE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/

/** The most specific range that covers the type decides: the type itself, `text/*`, then the range of all types. */
function rating(type: string, ranges: readonly Preference[]): [quality: number, exactness: number] {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type]
  for (let exactness = names.length - 1; exactness >= 0; exactness--) {
    const range = ranges.find(({ name }) => name === names[exactness])
    if (range) return [range.quality, exactness]
  }
  return [0, -1]
}

/** The type that the client prefers; between equals the one named more specifically, then the first. Null for none. */
export function preferredType<Type extends string>(accept: string | null, offered: readonly Type[]): Type | null {
  if (accept === null || accept.trim() === '') return offered[0] ?? null
  const ranges = preferencesIn(accept).filter(({ name }) => MEDIA_RANGE.test(name))
  const rated = offered.map((type) => ({ type, rating: rating(type, ranges) }))
  const taken = rated.filter(({ rating: [quality] }) => quality > 0)
  const best = taken.toSorted(({ rating: left }, { rating: right }) => right[0] - left[0] || right[1] - left[1])
  return best[0]?.type ?? null
}

/** The visitor's most preferred language among the supported ones. */
export function preferredLang(acceptLanguage: string | null): Lang {
  const asked = preferencesIn(acceptLanguage ?? '').filter(({ quality }) => quality > 0)
  const known = asked
    .toSorted((left, right) => right.quality - left.quality)
    .flatMap(({ name }) => LANGS.filter((lang) => lang === name.split('-')[0]))
  return known[0] ?? 'en'
}
