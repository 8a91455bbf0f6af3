import bidiFactory from 'bidi-js'
import { type FaceName, faceNamed } from './faces.ts'

export type ReadingDirection = 'ltr' | 'rtl'

/** Letters of one face and one direction. */
export interface Run {
  readonly text: string
  readonly face: FaceName
  readonly isRightToLeft: boolean
}

const bidi = bidiFactory()
const segmenter = new Intl.Segmenter('und')
const MOST_MARKS = 3

const graphemesOf = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)

/** Text without line breaks, control characters and characters that change its direction. */
const plainText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    // A joiner makes one emoji of several, and forms letters of Arabic and Devanagari.
    .replace(/(?![\u200c\u200d])[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    // Stacked combining marks would overlap other lines.
    .replace(new RegExp(`(\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu'), '$1')
    .trim()

/** The direction of the first letter that has one, as `dir="auto"` finds it on pages. */
export const directionIn = (text: string): ReadingDirection =>
  (bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) % 2 === 1 ? 'rtl' : 'ltr'

const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\u20e3/u
/** With the marks that belong to no script alone, such as “ー” and “؟”. */
export const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u30ff\uff00-\uffef]/u
export const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const ARABIC = /\p{Script=Arabic}|[\u0600-\u06ff]/u
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/u

export interface Faces {
  readonly theme: FaceName
  /** Chinese and Japanese write some characters differently. */
  readonly han: 'chinese' | 'japanese'
}

/** The face that draws all of a grapheme; null where none does. */
export function faceOf(grapheme: string, { theme, han }: Faces): FaceName | null {
  const order: FaceName[] = EMOJI.test(grapheme) ? ['emoji'] : []
  if (ARABIC.test(grapheme)) order.push('arabic')
  // The Japanese face has only the ideographs that the Chinese one lacks or writes differently, and kana.
  if (HAN.test(grapheme)) order.push(han, han === 'japanese' ? 'chinese' : 'japanese')
  order.push(theme, 'sans')
  if (/\p{S}|\p{Extended_Pictographic}/u.test(grapheme)) order.push('emoji')
  const letters = [...grapheme].filter((letter) => !INVISIBLE.test(letter))
  return order.find((name) => letters.every((letter) => faceNamed(name).has(letter.codePointAt(0) ?? 0))) ?? null
}

/** The text as cards can draw it: without symbols that no face has. Null where a letter cannot be drawn. */
export function writable(text: string, faces: Faces): string | null {
  let written = ''
  for (const grapheme of graphemesOf(plainText(text))) {
    if (faceOf(grapheme, faces) !== null) written += grapheme
    else if (!/[\p{S}\p{Extended_Pictographic}\p{Me}]/u.test(grapheme)) return null
  }
  return written.replace(/ +/g, ' ').trim() || null
}

/** The runs of one line, from the left to the right as they are seen. */
export function runsOf(line: string, direction: ReadingDirection, faces: Faces): Run[] {
  const embedding = bidi.getEmbeddingLevels(line, direction)
  const logical: (Run & { level: number; start: number })[] = []
  let at = 0
  for (const grapheme of graphemesOf(line)) {
    const level = embedding.levels[at] ?? 0
    const face = faceOf(grapheme, faces) ?? 'sans'
    const last = logical.at(-1)
    if (last && last.level === level && last.face === face) {
      logical[logical.length - 1] = { ...last, text: last.text + grapheme }
    } else logical.push({ text: grapheme, face, level, start: at, isRightToLeft: level % 2 === 1 })
    at += grapheme.length
  }
  const places = new Map(bidi.getReorderedIndices(line, embedding).map((index, place) => [index, place]))
  return logical.sort((left, right) => (places.get(left.start) ?? 0) - (places.get(right.start) ?? 0))
}

interface TextBox {
  /** In multiples of the font size. */
  readonly width: number
  readonly lines: number
  widthOf(line: string): number
}

interface Wrapped {
  readonly lines: readonly string[]
  /** Nothing was cut, and no word broken. */
  readonly isWhole: boolean
}

/** Wraps text into lines of similar lengths. A word longer than a line is broken, and text that does not fit is cut with “…”. */
export function wrapped(text: string, { width, lines, widthOf }: TextBox): Wrapped {
  const first = filled(text, width, widthOf)
  if (first.lines.length <= lines) {
    return {
      lines: first.isBroken ? first.lines : balanced(text, { width, lines: first.lines, widthOf }),
      isWhole: !first.isBroken,
    }
  }
  const kept = first.lines.slice(0, lines - 1)
  const last = cut(after(text, kept), (line) => widthOf(line) <= width)
  return { lines: [...kept, last], isWhole: false }
}

/** The rest of a text after its first lines. */
const after = (text: string, lines: readonly string[]): string =>
  lines.reduce((rest, line) => rest.slice(line.length).trimStart(), text)

const HALVINGS = 6

/** The narrowest lines that are not more lines. */
function balanced(
  text: string,
  { width, lines, widthOf }: Omit<TextBox, 'lines'> & { readonly lines: readonly string[] },
): readonly string[] {
  if (lines.length === 1) return lines
  let [narrow, wide, best] = [width / 2, width, lines]
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (narrow + wide) / 2
    const found = filled(text, middle, widthOf)
    if (found.lines.length === lines.length && !found.isBroken) [wide, best] = [middle, found.lines]
    else narrow = middle
  }
  return best
}

function filled(text: string, width: number, widthOf: (line: string) => number) {
  const found: string[] = []
  let line = ''
  let isBroken = false
  for (const { word, gap } of wordsIn(text)) {
    const longer = line === '' ? word : line + gap + word
    if (widthOf(longer) <= width) line = longer
    else {
      if (line !== '') found.push(line)
      const parts = broken(word, (part) => widthOf(part) <= width)
      isBroken ||= parts.length > 1
      found.push(...parts.slice(0, -1))
      line = parts.at(-1) ?? ''
    }
  }
  if (line !== '') found.push(line)
  return { lines: found, isBroken }
}

/** Begins no line. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ーァィゥェォッャュョぁぃぅぇぉっゃゅょ々]/u
const OPENING = /[\p{Ps}\p{Pi}]$/u
const words = new Intl.Segmenter('ja', { granularity: 'word' })

/** Where a line may end: at spaces, and between words of Chinese and Japanese, which have none. */
function wordsIn(text: string): { readonly word: string; readonly gap: '' | ' ' }[] {
  return text.split(' ').flatMap((word) => {
    const parts = HAN.test(word) ? unspacedWords(word) : [word]
    return parts.map((part, i) => ({ word: part, gap: i === 0 ? (' ' as const) : ('' as const) }))
  })
}

function unspacedWords(text: string): string[] {
  const found: string[] = []
  for (const { segment } of words.segment(text)) {
    const last = found.at(-1)
    if (last !== undefined && (CLOSING.test(segment) || OPENING.test(last))) found[found.length - 1] = last + segment
    else found.push(segment)
  }
  return found
}

function broken(word: string, fits: (line: string) => boolean): string[] {
  if (fits(word)) return [word]
  const parts = ['']
  for (const letter of graphemesOf(word)) {
    const longer = parts.at(-1) + letter
    if (fits(longer)) parts[parts.length - 1] = longer
    else parts.push(letter)
  }
  return parts.filter((part) => part !== '')
}

function cut(text: string, fits: (line: string) => boolean): string {
  const letters = graphemesOf(text)
  while (letters.length > 0 && !fits(`${letters.join('').trimEnd()}…`)) letters.pop()
  return `${letters.join('').trimEnd()}…`
}
