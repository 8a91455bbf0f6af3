import {
  type ArchiveEntry,
  type ArchiveHead,
  BLOCK_BYTES,
  type Chunks,
  HEAD,
  MANIFEST,
  MANIFEST_SUM,
  paddingOf,
  tarHeader,
} from './archive.ts'
import type { Sink } from './sinks.ts'

/** Writes entries as they come; their checksums stand in the manifest at the end. */
export class ArchiveWriter<Head extends ArchiveHead> {
  readonly #sink: Sink
  readonly #head: Head
  readonly #seconds: number
  readonly #entries: ArchiveEntry[] = []
  #bytes = 0

  private constructor(sink: Sink, head: Head) {
    this.#sink = sink
    this.#head = head
    this.#seconds = Date.parse(head.createdAt) / 1_000
  }

  static async begin<Head extends ArchiveHead>(sink: Sink, head: Head): Promise<ArchiveWriter<Head>> {
    const writer = new ArchiveWriter(sink, head)
    await writer.addText(HEAD, JSON.stringify(head))
    return writer
  }

  /** The bytes of the archive so far. */
  get bytes(): number {
    return this.#bytes
  }

  async add(name: string, bytes: number, chunks: Chunks): Promise<void> {
    const hash = new Bun.CryptoHasher('sha256')
    await this.#write(tarHeader({ name, bytes }, this.#seconds))
    let written = 0
    for await (const chunk of chunks) {
      hash.update(chunk)
      written += chunk.length
      await this.#write(chunk)
    }
    if (written !== bytes) throw new Error(`${name} has ${written} bytes instead of ${bytes}`)
    await this.#write(new Uint8Array(paddingOf(bytes)))
    this.#entries.push({ name, bytes, sha256: hash.digest('hex') })
  }

  addText(name: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    return this.add(name, bytes.length, [bytes])
  }

  /** `facts` stand in the manifest beside the checksums. */
  async finish(facts: object): Promise<void> {
    const manifest = JSON.stringify({ id: this.#head.id, ...facts, entries: [...this.#entries] })
    await this.addText(MANIFEST, manifest)
    await this.addText(MANIFEST_SUM, new Bun.CryptoHasher('sha256').update(manifest).digest('hex'))
    await this.#write(new Uint8Array(2 * BLOCK_BYTES))
    await this.#sink.finish()
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    await this.#sink.write(chunk)
  }
}
