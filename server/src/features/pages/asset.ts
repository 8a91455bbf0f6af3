import { gzipSync } from 'node:zlib'
import { etagOf } from '../../http/caching.ts'
import { type Reply, unlessKnown } from '../../http/reply.ts'

/** A text compressed once, as it is sent. */
export interface Asset {
  readonly text: string
  readonly packed: Blob
  readonly etag: string
}

export const assetOf = (text: string): Asset => ({
  text,
  packed: new Blob([gzipSync(text, { level: 9 })]),
  etag: etagOf(text),
})

export function assetReply(
  asked: { readonly request: Request },
  { text, packed, etag }: Asset,
  headers: Readonly<Record<string, string>>,
): Reply {
  const vary = ['Accept-Encoding', headers['Vary']].filter(Boolean).join(', ')
  const all = { ...headers, ETag: etag, Vary: vary }
  const takesGzip = /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(
    asked.request.headers.get('accept-encoding') ?? '',
  )
  if (!takesGzip) return unlessKnown(asked, { status: 200, body: text, headers: all })
  return unlessKnown(asked, { status: 200, body: packed, headers: { ...all, 'Content-Encoding': 'gzip' } })
}
