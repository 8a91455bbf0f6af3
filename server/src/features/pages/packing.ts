import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { Semaphore } from '../../base/semaphore.ts'
import { etagOf } from '../../http/caching.ts'
import { type Compressed, LONGEST_IN_LINE, oneThread } from '../../http/compress.ts'
import { CODINGS, type Coding } from '../../http/content-coding.ts'
import { type Packed, PackedText } from '../../http/packed.ts'
import type { Asset } from './assets/asset.ts'

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

const deflateOnThread = promisify(deflateRaw)

/** One gzip file. Only the rest is compressed now: of most pages the smaller part. */
function gzipWith(start: PackedStart, rest: string): Compressed | Promise<Compressed> {
  const plain = Buffer.from(rest)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(plain, start.checksum), 0)
  end.writeUInt32LE(start.byteLength + plain.length, 4)
  const withStart = (packed: Uint8Array): Compressed => Buffer.concat([HEADER, start.bytes, packed, end])
  if (rest.length <= LONGEST_IN_LINE) return withStart(deflateRawSync(plain, { level: REST_LEVEL }))
  return oneThread.run(() => deflateOnThread(plain, { level: REST_LEVEL })).then(withStart)
}

const GZIP_FIRST: readonly Coding[] = ['gzip', 'br', 'zstd']

/** Only one page at a time is compressed at best quality; the others wait for their next request. */
const settling = new Semaphore(1)

/**
 * The compressed forms of a page. Brotli cannot append to compressed data, and its best quality is slow, so a page that
 * votes still change is sent as gzip, and a page that has settled as brotli.
 */
export class PackedPage implements Packed {
  codings = GZIP_FIRST
  readonly #start: PackedStart
  readonly #rest: string
  #gzip: Compressed | Promise<Compressed> | null = null
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
      if (this.#gzip instanceof Promise) this.#settleGzip(this.#gzip)
      return this.#gzip
    }
    this.#others ??= new PackedText(this.#text)
    return this.#others.find(coding)
  }

  /** A failure is not kept: the next request tries again. */
  #settleGzip(form: Promise<Compressed>): void {
    form.then(
      (bytes) => {
        this.#gzip = bytes
      },
      () => {
        this.#gzip = null
      },
    )
  }

  /** Forms that were already sent stay unchanged, because their tags stand for exactly those bytes. */
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
