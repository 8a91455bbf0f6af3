/** Folding can turn one character into eighteen, and a PostgreSQL index entry holds 2,704 bytes. Real titles stay shorter. */
const LONGEST_FOLDED = 600

/**
 * Titles that differ only in case, composition, width or surrounding spaces are equal. JavaScript has no case folding; lower,
 * upper and lower case again are equivalent, except that the dotless i becomes an i. Decomposed before, composed after.
 */
export const foldedTitle = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .trim()
    .slice(0, LONGEST_FOLDED)
    .toWellFormed()
