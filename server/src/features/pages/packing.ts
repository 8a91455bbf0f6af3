import { constants, crc32, deflateRawSync } from 'node:zlib'
import { Semaphore } from '../../base/semaphore.ts'
import { etagOf } from '../../http/caching.ts'
import type { Compressed } from '../../http/compress.ts'
import { CODINGS, type Coding } from '../../http/content-coding.ts'
import { type Packed, PackedText } from '../../http/packed.ts'
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
function gzipWith(start: PackedStart, rest: string): Compressed {
  const plain = Buffer.from(rest)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(plain, start.checksum), 0)
  end.writeUInt32LE(start.byteLength + plain.length, 4)
  return Buffer.concat([HEADER, start.bytes, deflateRawSync(plain, { level: REST_LEVEL }), end])
}

const GZIP_FIRST: readonly Coding[] = ['gzip', 'br', 'zstd']

/** One page at a time is compressed at its best; the others stay as they are until they are asked for again. */
const settling = new Semaphore(1)

/**
 * A page as it goes over the wire. Brotli cannot append to what it compressed before, and its best quality is slow: so a
 * page that votes still change is sent as gzip, and one that has settled in brotli.
 */
export class PackedPage implements Packed {
  codings = GZIP_FIRST
  readonly #start: PackedStart
  readonly #rest: string
  #gzip: Compressed | null = null
  #others: PackedText | null = null

  constructor(start: PackedStart, rest: string) {
    this.#start = start
    this.#rest = rest
  }

  get #text(): string {
    return this.#start.text + this.#rest
  }

  asset(): Asset {
    return { text: this.#text, packed: this, etag: etagOf(this.#start.etag + this.#rest) }
  }

  find(coding: Coding): Compressed | Promise<Compressed> {
    if (coding === 'gzip') {
      this.#gzip ??= gzipWith(this.#start, this.#rest)
      return this.#gzip
    }
    this.#others ??= new PackedText(this.#text)
    return this.#others.find(coding)
  }

  /** A form that was sent already stays what it is: its tag stands for those very bytes. */
  async settle(): Promise<void> {
    if (this.#others || !settling.tryAcquire()) return
    try {
      const best = new PackedText(this.#text, 'best')
      await best.find('br')
      if (this.#others) return
      this.#others = best
      this.codings = CODINGS
    } finally {
      settling.release()
    }
  }
}
