import { AttemptFailed } from './attempt-failures.ts'
import { ChunkedBody } from './chunked-body.ts'

export interface Posted {
  readonly status: number
  readonly retryAfter: string | null
  /** The first KiB of the answer, as valid text. */
  readonly text: string
}

/** What one answer may cost, in any form. */
const LIMITS = {
  /** In all: heads, informational answers, the sizes of chunks and their extensions, and the body. */
  bytes: 64 * 1_024,
  headBytes: 16 * 1_024,
  /** 100 Continue, 103 Early Hints and others before the answer itself. */
  informational: 8,
  /** However few bytes each read brings. */
  reads: 128,
} as const

const KEPT_BYTES = 1_024
const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?$/
const WITHOUT_BODY: readonly number[] = [204, 304]
const SWITCHING = 101

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}

/** Reads one answer of HTTP/1.1 in time linear to its bytes, and no further than its limits. */
export class AnswerReader {
  #head: Head | null = null
  /** Bytes of a head that is not complete. */
  #pending = Buffer.alloc(0)
  #chunked: ChunkedBody | null = null
  /** Bytes of the body that are still to come; infinite until the connection closes. */
  #left = Number.POSITIVE_INFINITY
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #bytes = 0
  #reads = 0
  #informational = 0

  /** Null while there is no status. A status stays, also if its body fails. */
  get answer(): Posted | null {
    if (!this.#head) return null
    const { status, headers } = this.#head
    return { status, retryAfter: headers.get('retry-after') ?? null, text: textOf(this.#kept) }
  }

  /** True when nothing more has to be read. Throws AttemptFailed if there is no answer in these bytes. */
  add(bytes: Buffer): boolean {
    this.#bytes += bytes.length
    this.#reads++
    const body = this.#head ? bytes : this.#readHead(bytes)
    const isSpent = this.#bytes >= LIMITS.bytes || this.#reads >= LIMITS.reads
    if (!this.#head) {
      if (isSpent) throw new AttemptFailed('malformed_answer')
      return false
    }
    return this.#readBody(body) || isSpent
  }

  /** The bytes after the head. */
  #readHead(bytes: Buffer): Buffer {
    let rest = Buffer.concat([this.#pending, bytes])
    // An end that is cut in two begins in the last three bytes that were there before.
    let from = Math.max(0, this.#pending.length - HEAD_END.length + 1)
    for (;;) {
      const end = rest.indexOf(HEAD_END, from, 'latin1')
      if ((end < 0 ? rest.length : end) > LIMITS.headBytes) throw new AttemptFailed('malformed_answer')
      if (end < 0) break
      const head = parseHead(rest.toString('latin1', 0, end))
      rest = rest.subarray(end + HEAD_END.length)
      if (head.status >= 200) {
        this.#begin(head)
        return rest
      }
      if (head.status === SWITCHING || ++this.#informational > LIMITS.informational) {
        throw new AttemptFailed('malformed_answer')
      }
      from = 0
    }
    this.#pending = rest
    return rest
  }

  #begin(head: Head): void {
    this.#head = head
    this.#pending = Buffer.alloc(0)
    const length = head.headers.get('content-length') ?? ''
    if (WITHOUT_BODY.includes(head.status)) this.#left = 0
    else if (/\bchunked\s*$/i.test(head.headers.get('transfer-encoding') ?? '')) this.#chunked = new ChunkedBody()
    else if (/^\d{1,15}$/.test(length)) this.#left = Number(length)
  }

  #readBody(bytes: Buffer): boolean {
    if (!this.#chunked) {
      this.#keep(bytes.subarray(0, Math.min(bytes.length, this.#left)))
      this.#left -= bytes.length
      return this.#left <= 0
    }
    try {
      for (const part of this.#chunked.add(bytes)) this.#keep(part)
      return this.#chunked.isDone
    } catch {
      // The status has arrived; the body is only for the log.
      return true
    }
  }

  #keep(bytes: Buffer): void {
    const room = KEPT_BYTES - this.#keptBytes
    if (room <= 0 || bytes.length === 0) return
    const kept = bytes.subarray(0, room)
    this.#keptBytes += kept.length
    this.#kept.push(kept)
  }
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const status = STATUS_LINE.exec(first)?.[1]
  if (status === undefined) throw new AttemptFailed('malformed_answer')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon <= 0) throw new AttemptFailed('malformed_answer')
    const name = line.slice(0, colon).toLowerCase()
    // The first of several counts.
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return { status: Number(status), headers }
}

/** Drops a character that is cut in two at the end, and replaces U+0000, which PostgreSQL refuses. */
function textOf(kept: readonly Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '\ufffd')
}
