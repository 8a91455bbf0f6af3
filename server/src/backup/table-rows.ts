import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

export type Row = Readonly<Record<string, unknown>>

/** A part ends with the row that makes it this long. */
const ROWS_OF_A_PART = 10_000
const PART_LENGTH = 4_194_304
/** Readers hold a part in memory. No field of a service comes near these. */
const MOST_TEXT_BYTES = 67_108_864
export const MOST_PART_BYTES = 33_554_432

const unzip = promisify(gunzip)

/** JSON has no bytes: they are written in hexadecimal. In the row itself, because each copy is garbage to collect beside votes. */
function toLine(row: Record<string, unknown>): string {
  for (const column of Object.keys(row)) {
    const value = row[column]
    if (value instanceof Uint8Array) row[column] = Buffer.from(value).toString('hex')
  }
  return `${JSON.stringify(row)}\n`
}

/** Parts of a table: lines of JSON, compressed. The fastest level makes a third of them. */
export async function* inParts(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<Uint8Array> {
  let text = ''
  let count = 0
  for await (const some of rows) {
    for (const row of some) {
      text += toLine(row as Record<string, unknown>)
      count++
      if (text.length < PART_LENGTH && count < ROWS_OF_A_PART) continue
      yield compressed(text)
      text = ''
      count = 0
    }
  }
  if (count > 0) yield compressed(text)
}

/** Throws before an archive is written that no reader would take. */
function compressed(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const part = Bun.gzipSync(bytes, { level: 1 })
  if (bytes.length <= MOST_TEXT_BYTES && part.length <= MOST_PART_BYTES) return part
  throw new Error(`a part of an archive has ${bytes.length} bytes, more than ${MOST_TEXT_BYTES}`)
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
