import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }

export type TestCoding = keyof typeof DECODERS

export const testCodings = Object.keys(DECODERS) as TestCoding[]

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  /** The bytes as received. */
  readonly bytes: Buffer
  /** The decoded text. */
  readonly text: string
}

/** Like `fetch`, but without automatic decompression. */
export async function fetchRaw(url: string, init: RequestInit = {}): Promise<RawAnswer> {
  const response = await fetch(url, { ...init, decompress: false })
  const bytes = Buffer.from(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding') as TestCoding | null
  const text = (coding && bytes.byteLength > 0 ? DECODERS[coding](bytes) : bytes).toString()
  return { status: response.status, headers: response.headers, bytes, text }
}
