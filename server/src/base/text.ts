import { PlainFailure } from './errors.ts'

/** A substring keeps its parent alive, so strings that are kept for long are copied. For well-formed text only. */
export const copied = (text: string): string => Buffer.from(text).toString()

/** Approximates Unicode case folding: to upper and back to lower case, with one sigma. Composed and wide forms become one. */
export const folded = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')

/** Longer input than any of our names is cut, which bounds the cost of a comparison. */
const LONGEST = 40

/** The candidate that `given` is most likely a typo of: at most two edits away, fewer for short names. */
export function nearest(given: string, candidates: Iterable<string>): string | null {
  const typed = given.slice(0, LONGEST).toLowerCase()
  let best: { name: string; edits: number } | null = null
  for (const name of candidates) {
    const edits = editsBetween(typed, name.toLowerCase())
    const isClose = edits <= Math.min(2, Math.floor(name.length / 3))
    if (isClose && (best === null || edits < best.edits)) best = { name, edits }
  }
  return best?.name ?? null
}

/** Levenshtein distance, computed row by row; swapping two neighbours counts as one edit. */
function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      let edits = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isSwapped) edits = Math.min(edits, (before[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    before = above
    above = row
  }
  return above[other.length] ?? 0
}

/** "1 vote", "2 votes". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

/** Characters that move the cursor of a terminal, begin a line, or turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text of others in one line of a terminal. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** JSON without such characters; `indent` breaks it into lines. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** PostgreSQL refuses U+0000 and would alter a lone surrogate. SQLite must not store what PostgreSQL cannot. */
export function textProblem(text: string): { code: string; message: string } | null {
  if (text.includes('\0')) return { code: 'nul_character', message: 'Must not contain U+0000.' }
  return text.isWellFormed() ? null : { code: 'lone_surrogate', message: 'Must not contain a lone surrogate.' }
}

/** Over ten times the list of a backup with 100,000 pictures. */
const MOST_BYTES = 256 * 1024 * 1024

export async function textOfChunks(chunks: AsyncIterable<Uint8Array>, most: number = MOST_BYTES): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw new PlainFailure(`A part of the archive is longer than ${most} bytes.`)
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}
