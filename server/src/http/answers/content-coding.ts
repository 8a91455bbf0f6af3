import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, zstdCompress, zstdCompressSync } from 'node:zlib'
import { memoise } from '../../base/cache.ts'
import { Semaphore } from '../../base/work/semaphore.ts'
import { preferencesIn } from './negotiate.ts'

/** In our order of preference, for codings that a client weights equally. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

const acceptedCodings = memoise(
  (header) => {
    const named = new Map(preferencesIn(header).map(({ name, quality }) => [ALIASES[name] ?? name, quality]))
    const others = named.get('*')
    const qualityOf = (coding: string) => named.get(coding) ?? others
    const identity = qualityOf('identity')
    return {
      qualities: { br: qualityOf('br') ?? 0, zstd: qualityOf('zstd') ?? 0, gzip: qualityOf('gzip') ?? 0 },
      identity: identity ?? 0,
      refusesIdentity: identity === 0,
    }
  },
  () => true,
)

/** RFC 9110, 8.4.1.3. */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

interface Offer<Offered> {
  readonly offered: readonly Offered[]
  /** Too short to gain from compression: compressed only for a client that refuses identity. */
  readonly isShort: boolean
}

/**
 * Chooses the content coding by Accept-Encoding; null means identity. A client that refuses identity and every coding
 * that we have gets identity all the same: a body that it did not ask for explains more than a 406.
 */
export function preferredCoding<Offered extends Coding>(
  header: string | null,
  { offered, isShort }: Offer<Offered>,
): Offered | null {
  if (!header) return null
  const { qualities, identity, refusesIdentity } = acceptedCodings(header)
  if (isShort && !refusesIdentity) return null
  let best: Offered | null = null
  for (const coding of offered) if (qualities[coding] > (best ? qualities[best] : 0)) best = coding
  return best && qualities[best] >= identity ? best : null
}

export type Compressed = Uint8Array<ArrayBuffer>

/** `fast` while a client waits; `best` for text that is compressed once and sent many times. */
export type Effort = 'fast' | 'best'

/** Up to this length, compressing on the event loop costs little more than handing the text to a thread. */
const LONGEST_IN_LINE = 32 * 1024
/** Above this length, brotli's best quality is too slow for what it saves. */
const LONGEST_AT_BEST = 128 * 1024

const brotli = promisify(brotliCompress)
const zstd = promisify(zstdCompress)
const deflate = promisify(gzip)

/** One at a time: the same thread pool makes votes durable, and a vote would wait for a free thread. */
const oneThread = new Semaphore(1)

/** Short texts are compressed on the event loop, longer ones on another thread. */
export function compress(text: string, coding: Coding, effort: Effort): Compressed | Promise<Compressed> {
  if (effort === 'fast' && text.length <= LONGEST_IN_LINE) return IN_LINE[coding](text)
  return oneThread.run(() => ON_A_THREAD[coding](text, effort === 'best'))
}

const brotliOptions = (text: string, quality: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
})

const zstdOptions = (level: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: level } })

const IN_LINE: Record<Coding, (text: string) => Compressed> = {
  br: (text) => brotliCompressSync(text, brotliOptions(text, 2)),
  zstd: (text) => zstdCompressSync(text, zstdOptions(1)),
  gzip: (text) => Bun.gzipSync(text, { level: 1, library: 'libdeflate' }),
}

const ON_A_THREAD: Record<Coding, (text: string, isBest: boolean) => Promise<Compressed>> = {
  br: (text, isBest) => brotli(text, brotliOptions(text, isBest ? bestQuality(text) : 4)),
  zstd: (text, isBest) => zstd(text, zstdOptions(isBest ? 19 : 3)),
  gzip: (text, isBest) => deflate(text, { level: isBest ? 9 : 6 }),
}

const bestQuality = (text: string): number => (text.length > LONGEST_AT_BEST ? 9 : 11)

/** The compressed forms of one cached text, each made at the first request for it. */
export class PackedText {
  readonly #text: string
  readonly #effort: Effort
  readonly #forms: Partial<Record<Coding, Compressed | Promise<Compressed>>> = {}

  constructor(text: string, effort: Effort = 'fast') {
    this.#text = text
    this.#effort = effort
  }

  find(coding: Coding): Compressed | Promise<Compressed> {
    const known = this.#forms[coding]
    if (known !== undefined) return known
    const form = compress(this.#text, coding, this.#effort)
    this.#forms[coding] = form
    if (form instanceof Promise) this.#settle(coding, form)
    return form
  }

  /** A failure is not cached: the next request tries again. */
  #settle(coding: Coding, form: Promise<Compressed>): void {
    form.then(
      (bytes) => {
        this.#forms[coding] = bytes
      },
      () => {
        delete this.#forms[coding]
      },
    )
  }
}
