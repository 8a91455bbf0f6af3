import { etagOf } from '../../../http/answers/caching.ts'
import type { Effort } from '../../../http/answers/content-coding.ts'
import { PackedText } from '../../../http/answers/packed.ts'
import type { Reply } from '../../../http/answers/reply.ts'

/** A text that is sent many times, with its compressed forms. */
export interface Asset {
  readonly text: string
  readonly packed: PackedText
  readonly etag: string
}

export const assetOf = (text: string, effort: Effort = 'best'): Asset => ({
  text,
  packed: new PackedText(text, effort),
  etag: etagOf(text),
})

export const assetReply = ({ text, packed, etag }: Asset, headers: Readonly<Record<string, string>>): Reply => ({
  status: 200,
  body: text,
  packed,
  headers: { ...headers, ETag: etag },
})
