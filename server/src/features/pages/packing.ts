import { constants, crc32, deflateRawSync } from 'node:zlib'
import { etagOf } from '../../http/caching.ts'
import type { Asset } from './asset.ts'

/** The first part of a text, compressed so that any second part can follow. */
export interface PackedStart {
  readonly text: string
  readonly bytes: Uint8Array
  readonly checksum: number
  readonly byteLength: number
  readonly etag: string
}

/** Low effort for the part that is compressed often: more effort takes twice as long for a few bytes. */
const REST_LEVEL = 3

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255)

export function packStart(text: string): PackedStart {
  const plain = Buffer.from(text)
  return {
    text,
    bytes: deflateRawSync(plain, { level: 9, finishFlush: constants.Z_SYNC_FLUSH }),
    checksum: crc32(plain),
    byteLength: plain.length,
    etag: etagOf(text),
  }
}

/** One gzip file. Only the rest is compressed now, by far the smaller part of a page. */
export function packWith(start: PackedStart, rest: string): Asset {
  const plain = Buffer.from(rest)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(plain, start.checksum), 0)
  end.writeUInt32LE(start.byteLength + plain.length, 4)
  return {
    text: start.text + rest,
    packed: new Blob([HEADER, start.bytes, deflateRawSync(plain, { level: REST_LEVEL }), end]),
    etag: etagOf(start.etag + rest),
  }
}
