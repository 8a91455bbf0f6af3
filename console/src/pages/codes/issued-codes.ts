/** "K7QM-2F8X-9RTA". */
const CODE = /^[0-9A-HJKMNP-TV-Z]{12}$/

/** A code as it is compared: `I` and `L` are 1, `O` is 0. Null where `text` is none. */
function codeIn(text: string): string | null {
  const [, inLink = text] = /#code=([^&]*)/i.exec(text) ?? []
  const read = inLink
    .replace(/[\s"'-]/g, '')
    .toUpperCase()
    .replace(/[IL]/g, '1')
    .replace(/O/g, '0')
  return CODE.test(read) ? read : null
}

const CELLS = /[,;\t]/
const HEADERS = /^"?(code|link)"?$/i

export interface PastedCodes {
  readonly codes: readonly string[]
  /** Lines without a code. */
  readonly wrong: readonly string[]
}

/** Finds the codes in what was pasted: codes, links, or lines of the downloaded file. */
export function pastedCodes(text: string): PastedCodes {
  const codes = new Set<string>()
  const wrong: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const cells = line.split(CELLS).filter((cell) => cell.trim() !== '' && !HEADERS.test(cell.trim()))
    const found = cells.flatMap((cell) => codeIn(cell) ?? [])
    for (const code of found) codes.add(code)
    if (found.length === 0 && cells.length > 0) wrong.push(line.trim())
  }
  return { codes: [...codes], wrong }
}

/** The service, its log and the referrer never see what follows the `#`. */
export const linkOf = (shareUrl: string, code: string): string => `${shareUrl}#code=${code}`

/** The file that `tossup code issue --out` writes too. No cell needs quotes: an address has no comma that is not encoded. */
export const codesCsv = (codes: readonly string[], shareUrl: string | null): string =>
  [
    shareUrl === null ? 'code' : 'code,link',
    ...codes.map((code) => (shareUrl === null ? code : `${code},${linkOf(shareUrl, code)}`)),
    '',
  ].join('\r\n')

/** In an order that nothing foretells. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const order = [...items]
  for (let left = order.length; left > 1; left--) {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
    order.push(...order.splice(random % left, 1))
  }
  return order
}
