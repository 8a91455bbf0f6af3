import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

export type Row = Readonly<Record<string, unknown>>

/** Rows of an entry, at most; a part of a table ends sooner where its rows are long. */
const ROWS_OF_A_PART = 10_000
const PART_BYTES = 4_194_304
/** A part, and one row more: no field is as long. */
const MOST_TEXT_BYTES = 4 * PART_BYTES
/** Gzip makes nothing longer than this. */
export const MOST_PART_BYTES = MOST_TEXT_BYTES + PART_BYTES

const unzip = promisify(gunzip)

/** JSON has no bytes: they are written in hexadecimal. */
const toLine = (row: Row): string => {
  const written: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row))
    written[column] = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  return `${JSON.stringify(written)}\n`
}

/** Parts of a table: lines of JSON, compressed. The fastest level makes a third of them. */
export async function* inParts(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<Uint8Array> {
  let text = ''
  let count = 0
  for await (const some of rows) {
    for (const row of some) {
      text += toLine(row)
      count++
      if (text.length < PART_BYTES && count < ROWS_OF_A_PART) continue
      yield Bun.gzipSync(text, { level: 1 })
      text = ''
      count = 0
    }
  }
  if (count > 0) yield Bun.gzipSync(text, { level: 1 })
}

/** The lines of a part; null for bytes that no writer made. */
export async function linesOf(part: Uint8Array): Promise<string[] | null> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(
      await unzip(part, { maxOutputLength: MOST_TEXT_BYTES }),
    )
    const lines = text.split('\n')
    return lines.pop() === '' ? lines : null
  } catch {
    return null
  }
}
