import { codedTag, knownTag } from './caching.ts'
import { CODINGS, type Coding, type Compressed, compress, preferredCoding } from './content-coding.ts'
import type { Reply } from './reply.ts'
import { SharedHeaders, VARY_BY_CODING } from './response-headers.ts'

/** Below this size compression gains nothing: the response fits into one packet anyway. */
const SHORT_BYTES = 1024

/** Without brotli, which buffers its output for too long. */
const OF_STREAMS = ['zstd', 'gzip'] as const

type StreamCoding = (typeof OF_STREAMS)[number]

const ofEveryText = new SharedHeaders(VARY_BY_CODING)

/** The last step of a response: 304 if the client has the content, otherwise the coding that it prefers. */
export function encoded(reply: Reply, request: Request): Reply | Promise<Reply> {
  if (reply.body instanceof ReadableStream && reply.isText) return encodedStream(reply, reply.body, request)
  if (typeof reply.body !== 'string' || reply.isSecret) return notModified(reply, request, null) ?? reply
  const { body, packed } = reply
  const coding = codingFor(body, request)
  const text = reply.shared ? reply : { ...reply, shared: ofEveryText }
  const known = notModified(text, request, coding)
  if (known || coding === null) return known ?? text
  const before = reply.prepared && inCodings.get(reply)?.[coding]
  if (before) return before
  const form = packed ? packed.find(coding) : compress(body, coding, 'fast')
  return form instanceof Promise ? form.then((bytes) => inCoding(text, coding, bytes)) : inCoding(text, coding, form)
}

/** Caches the compressed forms of replies whose headers are prepared. */
const inCodings = new WeakMap<Reply, Partial<Record<Coding, Reply>>>()

/** Compresses the stream as the client reads it: nothing is read ahead, and an aborted stream stays aborted. */
function encodedStream(reply: Reply, body: ReadableStream<Uint8Array>, { method, headers }: Request): Reply {
  const coding = preferredCoding(headers.get('accept-encoding'), { offered: OF_STREAMS, isShort: false })
  const answer = { ...reply, shared: reply.shared ?? ofEveryText }
  if (coding === null) return answer
  // HEAD must not read the stream, and a compressor would.
  const isRead = method !== 'HEAD'
  const sent = isRead ? body.pipeThrough(compressor(coding)) : body
  return { ...answer, body: sent, headers: { ...reply.headers, 'Content-Encoding': coding } }
}

// bun-types type a CompressionStream in a way that pipeThrough does not accept.
const compressor = (coding: StreamCoding) =>
  new CompressionStream(coding, { level: 1 }) as unknown as ReadableWritablePair<Compressed, Compressed>

function codingFor(body: string, { headers }: Request): Coding | null {
  const accepted = headers.get('accept-encoding')
  if (accepted === null) return null
  const isShort = body.length < SHORT_BYTES && Buffer.byteLength(body) < SHORT_BYTES
  return preferredCoding(accepted, { offered: CODINGS, isShort })
}

/** Null unless If-None-Match names this content. */
function notModified(reply: Reply, { method, headers }: Request, coding: Coding | null): Reply | null {
  const etag = reply.headers['ETag']
  if (etag === undefined || reply.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return null
  const given = headers.get('if-none-match')
  const tag = given === null ? null : knownTag(given, etag, codedTag(etag, coding))
  if (tag === null) return null
  const empty = { ...reply, status: 304, body: null }
  return tag === etag ? empty : { ...empty, headers: { ...reply.headers, ETag: tag }, prepared: undefined }
}

function inCoding(reply: Reply, coding: Coding, body: Compressed): Reply {
  const etag = reply.headers['ETag']
  const tag = etag === undefined ? {} : { ETag: codedTag(etag, coding) }
  const own = { ...tag, 'Content-Encoding': coding }
  const coded = { ...reply, body, headers: { ...reply.headers, ...own }, prepared: reply.prepared?.with(own) }
  if (reply.prepared) inCodings.set(reply, { ...inCodings.get(reply), [coding]: coded })
  return coded
}
