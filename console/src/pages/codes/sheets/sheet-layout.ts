/** In millimetres. */
export const PAPERS = {
  a4: { name: 'A4', size: 'A4', width: 210, height: 297 },
  letter: { name: 'Letter', size: 'letter', width: 215.9, height: 279.4 },
} as const

/** 24 on A4 are of the size of common labels, 70 by 37 mm. */
export const GRIDS = { 24: { columns: 3, rows: 8 }, 8: { columns: 2, rows: 4 } } as const

export interface Layout {
  readonly paper: keyof typeof PAPERS
  readonly slips: keyof typeof GRIDS
}

const WITH_LETTER = ['US', 'CA', 'MX']

/** The paper of the country that the browser names. */
export const usualPaper = (locale: string): Layout['paper'] =>
  WITH_LETTER.includes(new Intl.Locale(locale).region ?? '') ? 'letter' : 'a4'

/** A browser takes seconds to lay out more pages. */
const MOST_PAGES = 50

export interface Part {
  readonly from: number
  readonly to: number
}

/** The pages as they are printed at once, counted from 1. */
export function partsOf(codes: number, slips: number): Part[] {
  const pages = Math.ceil(codes / slips)
  return Array.from({ length: Math.ceil(pages / MOST_PAGES) }, (_, at) => ({
    from: at * MOST_PAGES + 1,
    to: Math.min(pages, (at + 1) * MOST_PAGES),
  }))
}

/** The codes of each page of a part. */
export const pagesOf = (codes: readonly string[], slips: number, { from, to }: Part): (readonly string[])[] =>
  Array.from({ length: to - from + 1 }, (_, at) => codes.slice((from - 1 + at) * slips, (from + at) * slips))

const MARK = 4
/** Printers leave about 5 mm blank at an edge. */
const EDGE_MARK = 9

/** Where to cut, as the path of an SVG in millimetres: a cross at each corner between slips, a stroke at each edge of the paper. */
export function cutMarks({ paper, slips }: Layout): string {
  const { width, height } = PAPERS[paper]
  const { columns, rows } = GRIDS[slips]
  const xs = Array.from({ length: columns - 1 }, (_, at) => ((at + 1) * width) / columns)
  const ys = Array.from({ length: rows - 1 }, (_, at) => ((at + 1) * height) / rows)
  const down = (x: number, from: number, to: number) => `M${x} ${from}V${to}`
  const across = (y: number, from: number, to: number) => `M${from} ${y}H${to}`
  return [
    ...xs.flatMap((x) => [down(x, 0, EDGE_MARK), down(x, height - EDGE_MARK, height)]),
    ...ys.flatMap((y) => [across(y, 0, EDGE_MARK), across(y, width - EDGE_MARK, width)]),
    ...xs.flatMap((x) => ys.flatMap((y) => [down(x, y - MARK, y + MARK), across(y, x - MARK, x + MARK)])),
  ].join('')
}
