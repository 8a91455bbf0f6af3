import {
  type FieldProblem,
  invalidInput,
  malformedJson,
  payloadTooLarge,
  unsupportedMediaType,
} from '../base/errors.ts'

const MOST_BYTES = 64 * 1024
const DEEPEST = 32
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body as JSON that no two parsers can read differently. */
export async function readJson(request: Request): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BYTES) throw payloadTooLarge(MOST_BYTES)
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) throw unsupportedMediaType()
  const bytes = await readBytes(request)
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw malformedJson()
  }
  const problem = structureProblem(text)
  if (problem) throw invalidInput([problem])
  const strings = stringProblems(value, '')
  if (strings.length > 0) throw invalidInput(strings)
  return value
}

/** Counts while reading: a chunked body says nothing of its length beforehand. */
async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.headers.has('content-length')) return new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MOST_BYTES) throw payloadTooLarge(MOST_BYTES)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/** Looks for what JSON.parse hides: a key given twice, and nesting. The text is known to be valid JSON. */
function structureProblem(text: string): FieldProblem | null {
  const open: Set<string>[] = []
  let lastString = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') lastString = token
    else if (isRepeated(open.at(-1), JSON.parse(lastString) as string)) {
      return problem(JSON.parse(lastString) as string, 'duplicate_key', 'This key is given twice.')
    }
    if (open.length > DEEPEST) return problem('', 'too_deep', `Nesting deeper than ${DEEPEST} is refused.`)
  }
  return null
}

function isRepeated(keys: Set<string> | undefined, key: string): boolean {
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}

/** PostgreSQL refuses U+0000 and would change a lone surrogate. */
export function stringProblems(value: unknown, path: string): FieldProblem[] {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [problem(path, 'nul_character', 'U+0000 is refused.')]
    return value.isWellFormed() ? [] : [problem(path, 'lone_surrogate', 'A lone surrogate is refused.')]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerPath = path === '' ? key : `${path}.${key}`
    return [...stringProblems(key, innerPath), ...stringProblems(inner, innerPath)]
  })
}

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })
