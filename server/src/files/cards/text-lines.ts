import { graphemesOf, HAN } from './runs.ts'

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
