import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, zstdCompress, zstdCompressSync } from 'node:zlib'
import { Semaphore } from '../base/semaphore.ts'
import type { Coding } from './content-coding.ts'

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
