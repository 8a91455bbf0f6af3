/** Crockford's Base32. */
const LETTERS = /[^\dA-HJKMNP-TV-Z]/u
const LENGTH = 12
const GROUP = /.{1,4}/gu
/** Spaces, hyphens of all kinds, and marks that cannot be seen. */
const BETWEEN = /[\s\p{Pd}\p{Cf}\u2212]/gu

/** A code as it was typed or pasted. Only its form is known here: whether it is valid is known with the vote. */
export interface ReadCode {
  /** In groups of four. With a wrong letter it stays as it was typed. */
  readonly shown: string
  /** The code, where its form is right. */
  readonly code: string | null
  /** The first character that is in no code. */
  readonly wrong: string | undefined
  /** How many characters it has. */
  readonly length: number
}

/** Reads a code without regard to case, spaces and hyphens, I and L as 1, O as 0; from a whole link too. */
export function readCode(text: string): ReadCode {
  const typed = text
    .replace(/^.*code=/is, '')
    .normalize('NFKC')
    .replace(BETWEEN, '')
    .toUpperCase()
  const read = typed.replace(/[IL]/g, '1').replaceAll('O', '0')
  const wrong = read.match(LETTERS)?.[0]
  const { length } = [...read]
  const shown = wrong ? text : (read.match(GROUP)?.join('-') ?? '')
  return { shown, code: !wrong && length === LENGTH ? shown : null, wrong, length }
}
