import { malformedJson, payloadTooLarge, unsupportedContentCoding, unsupportedMediaType } from '../base/errors.ts'

/** The limit for a route that sets none. */
export const MOST_BODY_BYTES = 64 * 1024
/** The rest of a refused body up to this size is read and discarded, so that the connection can be reused. */
const WORTH_READING = 1024 * 1024
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function readJsonText(request: Request, most = MOST_BODY_BYTES): Promise<string> {
  const bytes = await readBytes(request, most)
  refuseContentCoding(request.headers)
  const contentType = request.headers.get('content-type') ?? ''
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType)) throw unsupportedMediaType()
  if (bytes.byteLength === 0) throw malformedJson('The body is empty: this request takes a JSON object.')
  return decode(bytes)
}

/** For routes that need no body: null if there is none. Any body must be JSON, with any content type. */
export async function readNeedlessText(request: Request): Promise<string | null> {
  const bytes = await readBytes(request, MOST_BODY_BYTES)
  refuseContentCoding(request.headers)
  return bytes.byteLength === 0 ? null : decode(bytes)
}

/** Compressed bodies are refused, not decoded: they could expand a thousandfold. */
export function refuseContentCoding(headers: Headers): void {
  const coding = headers.get('content-encoding')
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') throw unsupportedContentCoding()
}

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformedJson('The body is not in UTF-8.')
  }
}

function readBytes(request: Request, most: number): Promise<ArrayBuffer | Buffer> {
  const announced = request.headers.get('content-length')
  if (announced === null) return readChunks(request, most)
  if (Number(announced) > most) throw payloadTooLarge(most, { isEndless: Number(announced) > WORTH_READING })
  return request.arrayBuffer()
}

/** Counts while reading, because a chunked body does not announce its length. */
async function readChunks(request: Request, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > most) throw payloadTooLarge(most, { isEndless: true })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
