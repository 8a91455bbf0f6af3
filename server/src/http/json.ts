import {
  type FieldProblem,
  invalidInput,
  malformedJson,
  payloadTooLarge,
  unsupportedContentCoding,
  unsupportedMediaType,
} from '../base/errors.ts'
import { textProblem } from '../base/text.ts'
import { shortened } from './validate.ts'

/** The limit for a route that sets none. */
export const MOST_BODY_BYTES = 64 * 1024
/** The rest of a refused body up to this size is read and discarded, so that the connection can be reused. */
const WORTH_READING = 1024 * 1024
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function readJsonText(
  request: Request,
  {
    mostBodyBytes = MOST_BODY_BYTES,
    isBodyOptional = false,
  }: { mostBodyBytes?: number | undefined; isBodyOptional?: boolean | undefined } = {},
): Promise<string> {
  const bytes = await readBytes(request, mostBodyBytes)
  refuseContentCoding(request.headers)
  if (isBodyOptional && bytes.byteLength === 0) return '{}'
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

export const DEEPEST = 32
/** Far more than any request needs; a limit, because each value costs the schemas some microseconds. */
export const MOST_VALUES = 2_000

/** JSON.parse is slow where a text is much deeper, as 64 KiB of brackets. */
const DEEPEST_PARSED = 1_000

/** Parses JSON strictly: no two parsers can read the accepted text differently. */
export function parseJson(text: string): unknown {
  if (text.length > DEEPEST_PARSED) refuseDeep(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformedJson('The body is not valid JSON.')
  }
  const found = structureProblem(text) ?? stringProblem(value)
  if (found) throw invalidInput([found])
  return value
}

/** Refuses without parsing what is far too deep. */
function refuseDeep(text: string): void {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  if (deepest <= DEEPEST_PARSED) return
  if (depth !== 0) throw malformedJson('The body is not valid JSON.')
  throw invalidInput([tooDeep])
}

const [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d]

/** Finds what JSON.parse accepts silently: repeated keys, deep nesting and too many values. The text is valid JSON. */
function structureProblem(text: string): FieldProblem | null {
  // The keys of each open object; null for an array.
  const open: (Set<string> | null)[] = []
  let string = ''
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        string = text.slice(at, end)
        at = end - 1
        break
      }
      case ':': {
        const key = JSON.parse(string) as string
        if (isRepeated(open.at(-1), key)) return problem(key, 'duplicate_key', 'Must not be repeated.')
        break
      }
      case '{':
      case '[':
        open.push(text[at] === '{' ? new Set() : null)
        values++
        if (open.length > DEEPEST) return tooDeep
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        values++
    }
    if (values > MOST_VALUES) return problem('', 'too_many_values', `Must not have more than ${MOST_VALUES} values.`)
  }
  return null
}

/** The position after the closing quote. A loop: a regular expression overflows its stack on a long string. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isRepeated(keys: Set<string> | null | undefined, key: string): boolean {
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}

/** Reports only the first problem: thousands, each under a long path, would be far larger than the request. */
export function stringProblem(value: unknown, path = ''): FieldProblem | null {
  if (typeof value === 'string') {
    const found = textProblem(value)
    return found && { path: shortened(path), ...found }
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = shortened(path === '' ? key : `${path}.${key}`)
    const found = stringProblem(key, innerPath) ?? stringProblem(inner, innerPath)
    if (found) return found
  }
  return null
}

const problem = (path: string, code: string, message: string): FieldProblem => ({
  path: shortened(path),
  code,
  message,
})

const tooDeep = problem('', 'too_deep', `Must not be nested deeper than ${DEEPEST} levels.`)
