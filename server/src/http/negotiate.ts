/** Browsers send fewer than ten. A header of 16 KB holds thousands, each of which costs a microsecond. */
const MOST_LISTED = 50

/** The first elements of a comma-separated header. */
export const listedIn = (header: string): string[] => header.split(',', MOST_LISTED)

interface Range {
  readonly type: string
  readonly quality: number
}

/** `text/csv;q=0.5`: parameters other than the quality are not looked at, as none of our types has a meaning for one. */
function rangesOf(accept: string): Range[] {
  return listedIn(accept).flatMap((part): Range[] => {
    const [type = '', ...parameters] = part.split(';', MOST_LISTED).map((piece) => piece.trim().toLowerCase())
    const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    const isGood =
      /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/.test(type) && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given)
    return isGood ? [{ type, quality: Number(given) }] : []
  })
}

/** By the range that names the type most exactly: the type itself, its kind, anything. */
function rating(type: string, ranges: readonly Range[]): [quality: number, exactness: number] {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type]
  for (let exactness = names.length - 1; exactness >= 0; exactness--) {
    const range = ranges.find((candidate) => candidate.type === names[exactness])
    if (range) return [range.quality, exactness]
  }
  return [0, -1]
}

/**
 * Of what we have, what the client likes best; of what it likes equally, what it names more exactly, and then what
 * comes first. Null when it takes none of it.
 */
export function preferredType<Type extends string>(accept: string | null, offered: readonly Type[]): Type | null {
  if (accept === null || accept.trim() === '') return offered[0] ?? null
  const ranges = rangesOf(accept)
  const rated = offered.map((type) => ({ type, rating: rating(type, ranges) }))
  const taken = rated.filter(({ rating: [quality] }) => quality > 0)
  const best = taken.toSorted(({ rating: left }, { rating: right }) => right[0] - left[0] || right[1] - left[1])
  return best[0]?.type ?? null
}
