/**
 * Two titles that differ in case or in composition alone are one. The language has no case folding, and going down, up
 * and down again comes to the same, but for the dotless i, which counts as an i. Decomposed before, composed after.
 */
export const foldedTitle = (title: string): string =>
  title.normalize('NFD').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
