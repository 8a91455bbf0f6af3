import type { Font } from './font.ts'

interface Room {
  readonly size: number
  readonly width: number
  readonly lines: number
}

const MOST_MARKS = 3

/** What is drawn letter beside letter. Others need more than the font: the drawing sets Devanagari over itself. */
const WRITTEN = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u

/**
 * The text as it can be written; null where a letter of it cannot. Emoji and other symbols that the font lacks are left
 * out, and so is whatever turns the order of letters around.
 */
export function writable(text: string, font: Font): string | null {
  const plain = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}]/gu, '')
    // Marks upon marks would grow out of their line.
    .replace(new RegExp(`(\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu'), '$1')
  let written = ''
  for (const character of plain) {
    if (WRITTEN.test(character) && font.widthOf(character) !== null) written += character
    else if (!/[\p{S}\p{Extended_Pictographic}\p{Me}]/u.test(character)) return null
  }
  return written.replace(/ +/g, ' ').trim() || null
}

const widthOf = (text: string, size: number, font: Font): number =>
  size * [...text].reduce((sum, character) => sum + (font.widthOf(character) ?? 1), 0)

/** Words in lines; one that is longer than a line is broken, and what has no room is cut off with “…”. */
export function linesOf(text: string, font: Font, { size, width, lines }: Room): string[] {
  const fits = (line: string) => widthOf(line, size, font) <= width
  const found: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) line = longer
    else {
      if (line !== '') found.push(line)
      const parts = broken(word, fits)
      found.push(...parts.slice(0, -1))
      line = parts.at(-1) ?? ''
    }
  }
  found.push(line)
  if (found.length <= lines) return found
  return [...found.slice(0, lines - 1), cut(`${found[lines - 1]} ${found[lines]}`, fits)]
}

const segmenter = new Intl.Segmenter('und')
const lettersOf = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)

function broken(word: string, fits: (line: string) => boolean): string[] {
  if (fits(word)) return [word]
  const parts = ['']
  for (const letter of lettersOf(word)) {
    const longer = parts.at(-1) + letter
    if (fits(longer)) parts[parts.length - 1] = longer
    else parts.push(letter)
  }
  return parts.filter((part) => part !== '')
}

function cut(text: string, fits: (line: string) => boolean): string {
  const letters = lettersOf(text)
  while (letters.length > 0 && !fits(`${letters.join('').trimEnd()}…`)) letters.pop()
  return `${letters.join('').trimEnd()}…`
}
