import type { Operation } from './public-operations.ts'

export interface Input {
  readonly kind: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Bun refuses a request whose head is longer than 16 KiB. */
const HEAD_BYTES = 15_000
const BODY_BYTES = 64 * 1024 - 16

const fill = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length))
const countedFill = (make: (i: number) => string, bytes: number): string => {
  const parts: string[] = []
  for (let i = 0, size = 0; ; i++) {
    const part = make(i)
    size += part.length
    if (size > bytes) return parts.join('')
    parts.push(part)
  }
}

const QUERIES: Readonly<Record<string, string>> = {
  'query of a&': fill('a&', HEAD_BYTES),
  'query of &': fill('&', HEAD_BYTES),
  'query of many names': countedFill((i) => `n${i}=1&`, HEAD_BYTES),
  'query of escapes': `a=${fill('%F0%9F%98%80', HEAD_BYTES)}`,
  'query of broken escapes': fill('%F0%9=&', HEAD_BYTES),
}

const TOKENS = ['a,', ',', 'a;q=0.1,', '*;q=0,', '"a",', 'W/"a",', '1.1.1.1,', 'zz-ZZ;q=0.5,', 'a/b;c=d;', ' ;', '0-1,']

const HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Content-Type',
  'Cookie',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Range',
  'Referer',
  'X-API-Key-Secret',
  'X-Device-Id',
  'X-Forwarded-For',
]

const BODIES: Readonly<Record<string, () => string>> = {
  'body of numbers': () => `{"option":[${fill('1,', BODY_BYTES - 20)}1]}`,
  'body of values': () => `{"option":[${countedFill((i) => `{"k${i}":1},`, BODY_BYTES).slice(0, 12_000)}1]}`,
  'body of 1,999 fields': () => `{${Array.from({ length: 1_999 }, (_, i) => `"${'x'.repeat(20)}${i}":1`).join()}}`,
  'body of nested objects': () => {
    const deep = `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`
    return `{"option":[${Array.from({ length: 60 }, () => deep).join()}]}`
  },
  'body of escapes': () => `{"option":"${fill('\\u00e9', BODY_BYTES - 20)}"}`,
  'body of backslashes': () => `{"option":"${fill('\\\\', BODY_BYTES - 20)}"}`,
  'body of one long string': () => `{"option":"${fill('a', BODY_BYTES - 20)}"}`,
  'body of one long name': () => `{"${fill('a', BODY_BYTES - 20)}":1}`,
  'body of brackets': () => fill('[', BODY_BYTES),
  'body of spaces': () => `{${fill(' ', BODY_BYTES - 20)}"option":"A"}`,
  'body of a repeated name': () => `{${fill('"option":"A",', BODY_BYTES - 20)}"option":"A"}`,
  'body of no UTF-8': () => fill('\u00ff', 32_000),
}

/** Requests of every kind that could cost much, for one operation. `base` is a request that it answers. */
export function* inputsFor(operation: Operation, base: Input): Generator<Input> {
  yield base
  const at = base.path.includes('?') ? '&' : '?'
  const json = { 'Content-Type': 'application/json' }
  for (const [kind, query] of Object.entries(QUERIES)) yield { ...base, kind, path: base.path + at + query }
  for (const name of operation.query) {
    for (const [kind, value] of [
      ['a', fill('a', HEAD_BYTES)],
      ['%25', fill('%25', HEAD_BYTES)],
      ['1', fill('1', HEAD_BYTES)],
    ] as const)
      yield { ...base, kind: `${name} of ${kind}`, path: `${base.path}${at}${name}=${value}` }
  }
  const parameters = operation.path.split('{').length - 1
  if (parameters > 0) {
    for (const part of ['a', '%41', '%F0%9F%98%80', '-', '.']) {
      const path = operation.path.replaceAll(/\{\w+\}/g, fill(part, HEAD_BYTES / parameters))
      yield { ...base, kind: `path of ${part}`, path }
    }
  }
  for (const name of HEADERS) {
    for (const token of TOKENS) {
      const value = fill(token, HEAD_BYTES).trim() || token
      yield { ...base, kind: `${name} of ${token}`, headers: { ...base.headers, [name]: value } }
    }
  }
  if (operation.method === 'GET') return
  for (const [kind, make] of Object.entries(BODIES)) {
    yield { ...base, kind, headers: { ...base.headers, ...json }, body: make() }
  }
}
