const MOST_LETTERS = 2
/** A word of fewer letters has no spelling mistakes, as far as can be told: another letter makes another word. */
const LETTERS_FOR_EACH = 5

/** Each of their letters is a syllable or a word. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Characters that mean something though they are no letters: numbers with their signs, and symbols such as `€`, `%` and emoji. */
const SIGNS = /[-−]?\p{N}(?:[.,:/]?\p{N})*|[\p{S}%#&@]/gu

const NO_LETTERS = /[^\p{L}\p{M}]+/u

/**
 * Whether readers could take a new text for another one. Case, punctuation and spacing are spelling, and so are one letter in
 * five of a word, at most two in all. A first letter (`moral`, `amoral`), a number and a symbol are more than spelling.
 */
export function isMoreThanSpelling(before: string, after: string): boolean {
  const [old, now] = [normalised(before), normalised(after)]
  if (signsOf(old) !== signsOf(now)) return true
  const [oldWords, newWords] = [wordsOf(old), wordsOf(now)]
  if (oldWords.join('') === newWords.join('')) return false
  if (oldWords.length !== newWords.length) return true
  const distances = oldWords.map((word, i) => spellingDistance(word, newWords[i] ?? ''))
  return distances.reduce((sum, each) => sum + each, 0) > MOST_LETTERS
}

const normalised = (text: string): string => text.normalize('NFKC').toLowerCase()

const signsOf = (text: string): string => (text.match(SIGNS) ?? []).join(' ')

/** Apostrophes are within a word. */
const wordsOf = (text: string): string[] => text.replace(/['’]/g, '').split(NO_LETTERS).filter(Boolean)

/** How many letters differ; endless where the words could be two different ones. */
function spellingDistance(before: string, after: string): number {
  if (before === after) return 0
  const [old, now] = [[...before], [...after]]
  const isOther = old[0] !== now[0] || SYLLABLES.test(before + after)
  const distance = isOther ? Number.POSITIVE_INFINITY : editDistance(old, now)
  return distance * LETTERS_FOR_EACH > Math.max(old.length, now.length) ? Number.POSITIVE_INFINITY : distance
}

/** Letters added, left out, replaced, or swapped with their neighbour. */
function editDistance(before: readonly string[], after: readonly string[]): number {
  let earlier: number[] = []
  let last = Array.from({ length: after.length + 1 }, (_, i) => i)
  for (const [row, letter] of before.entries()) {
    const next = [row + 1]
    for (const [column, other] of after.entries()) {
      const same = letter === other ? 0 : 1
      const isSwap = row > 0 && column > 0 && letter === after[column - 1] && before[row - 1] === other
      const swap = isSwap ? (earlier[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min((last[column] ?? 0) + same, (last[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, swap))
    }
    earlier = last
    last = next
  }
  return last.at(-1) ?? 0
}
