/** Some characters become eighteen, and an index of PostgreSQL holds 2,704 bytes. What people write stays far below. */
const LONGEST_FOLDED = 600

/**
 * Titles that differ in case, composition, width or surrounding spaces alone are one. JavaScript has no case folding: down, up
 * and down again comes to the same, except for the dotless i, which counts as an i. Decomposed before, composed after.
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
