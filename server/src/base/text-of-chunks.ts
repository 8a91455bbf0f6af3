import { PlainFailure } from './errors.ts'

/** Over ten times the list of a backup with 100,000 pictures. */
const MOST_BYTES = 256 * 1024 * 1024

export async function textOfChunks(chunks: AsyncIterable<Uint8Array>, most: number = MOST_BYTES): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw new PlainFailure(`A part of the archive is longer than ${most} bytes.`)
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}
