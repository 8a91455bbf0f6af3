import { createReadStream } from 'node:fs'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { textOfChunks } from '../base/text.ts'
import {
  type ArchiveEntry,
  type ArchiveHead,
  type ArchiveManifest,
  BLOCK_BYTES,
  FORMAT,
  HEAD,
  MANIFEST,
  MANIFEST_SUM,
  paddingOf,
  readTarHeader,
  type TarHeader,
} from './archive.ts'

export interface ReadEntry extends TarHeader {
  /** To be read to its end before the next entry. */
  readonly chunks: AsyncIterable<Uint8Array>
}

type EntryReader = (entry: ReadEntry) => Promise<void>

export interface OpenedArchive<Head, Manifest> {
  readonly head: Head
  /**
   * Reads to the end and compares every byte with the manifest. The manifest comes last, so what `readEntry` has stored must not
   * be used before this resolves.
   */
  readEntries(readEntry: EntryReader): Promise<Manifest>
}

export async function openArchive<Head extends ArchiveHead, Manifest extends ArchiveManifest>(
  source: AsyncIterable<Uint8Array>,
  kind: Head['kind'],
): Promise<OpenedArchive<Head, Manifest>> {
  const bytes = new ByteReader(source)
  const seen: ArchiveEntry[] = []
  const head = await readHead<Head>(bytes, kind, seen)
  return {
    head,
    async readEntries(readEntry) {
      for (let header = await nextHeader(bytes); ; header = await nextHeader(bytes)) {
        if (!header) throw incomplete()
        if (header.name === MANIFEST) return readManifest<Manifest>(bytes, { header, head, seen })
        const checked = new CheckedBody(bytes, header)
        await readEntry({ ...header, chunks: checked.chunks() })
        seen.push(await checked.end())
      }
    },
  }
}

const otherFormat = ({ format, version }: { format: number; version: string }): PlainFailure =>
  new PlainFailure(
    format < FORMAT
      ? `The archive is in the format of earlier versions: restore or import it with Tossup ${version}, upgrade that service, and make the archive again.`
      : `The archive is of a newer version of Tossup, ${version}.`,
  )

const incomplete = () => new PlainFailure('The archive is incomplete: it ends before its manifest.')
const damaged = (where: string) => new PlainFailure(`The archive is damaged: ${where}.`)

const CHUNK_BYTES = 1_048_576

/** An archive in a file, or from standard input for `-`. */
export const archiveSource = (path: string): AsyncIterable<Uint8Array> =>
  path === '-' ? Bun.stdin.stream() : fileChunks(path)

async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES })
  } catch (error) {
    throw new PlainFailure(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error })
  }
}

async function nextHeader(bytes: ByteReader): Promise<TarHeader | null> {
  return readTarHeader(await bytes.take(BLOCK_BYTES))
}

async function readHead<Head extends ArchiveHead>(
  bytes: ByteReader,
  kind: Head['kind'],
  seen: ArchiveEntry[],
): Promise<Head> {
  const first = await nextHeader(bytes)
  if (first?.name !== HEAD) throw new PlainFailure('This is not an archive of Tossup.')
  const head = parse(await readText(bytes, first, seen), HEAD) as Head
  if (head.format !== FORMAT) throw otherFormat(head)
  if (head.kind !== kind) {
    throw new PlainFailure(
      kind === 'backup'
        ? 'The archive holds one brand: use `tossup brand import`.'
        : 'The archive is a backup of a whole service: use `tossup restore`.',
    )
  }
  return head
}

async function readManifest<Manifest extends ArchiveManifest>(
  bytes: ByteReader,
  { header, head, seen }: { header: TarHeader; head: ArchiveHead; seen: readonly ArchiveEntry[] },
): Promise<Manifest> {
  const own: ArchiveEntry[] = []
  const text = await readText(bytes, header, own)
  const last = await nextHeader(bytes)
  if (last?.name !== MANIFEST_SUM) throw incomplete()
  if ((await readText(bytes, last, [])) !== own[0]?.sha256) throw damaged(`the checksum of ${MANIFEST} is wrong`)
  await bytes.assertEnd()
  const manifest = parse(text, MANIFEST) as Manifest
  if (manifest.id !== head.id) throw damaged(`${MANIFEST} belongs to another archive`)
  for (let i = 0; i < Math.max(seen.length, manifest.entries.length); i++) {
    const [found, listed] = [seen[i], manifest.entries[i]]
    if (found && listed && Bun.deepEquals(found, listed)) continue
    throw damaged(`${(found ?? listed)?.name} differs from ${MANIFEST}`)
  }
  return manifest
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(`${name} cannot be read`)
  }
}

async function readText(bytes: ByteReader, header: TarHeader, seen: ArchiveEntry[]): Promise<string> {
  const checked = new CheckedBody(bytes, header)
  const text = await textOfChunks(checked.chunks())
  seen.push(await checked.end())
  return text
}

/** The bytes of one entry, hashed as they are read. */
class CheckedBody {
  readonly #bytes: ByteReader
  readonly #header: TarHeader
  readonly #hash = new Bun.CryptoHasher('sha256')
  #left: number

  constructor(bytes: ByteReader, header: TarHeader) {
    this.#bytes = bytes
    this.#header = header
    this.#left = header.bytes
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const chunk = await this.#bytes.some(this.#left)
      this.#left -= chunk.length
      this.#hash.update(chunk)
      yield chunk
    }
  }

  /** Reads what the reader has left. */
  async end(): Promise<ArchiveEntry> {
    for await (const _ of this.chunks());
    const { name, bytes } = this.#header
    const padding = await this.#bytes.take(paddingOf(bytes))
    if (padding.some((byte) => byte !== 0)) throw damaged(`the end of ${name}`)
    return { name, bytes, sha256: this.#hash.digest('hex') }
  }
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly so many bytes. */
  async take(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      if (!(await this.#more())) throw incomplete()
    }
    return this.#cut(count)
  }

  /** At least one byte, and at most so many. */
  async some(most: number): Promise<Buffer> {
    if (this.#rest.length === 0 && !(await this.#more())) throw incomplete()
    return this.#cut(Math.min(most, this.#rest.length))
  }

  async assertEnd(): Promise<void> {
    do {
      if (this.#rest.some((byte) => byte !== 0)) throw damaged('there are bytes behind its end')
      this.#rest = Buffer.alloc(0)
    } while (await this.#more())
  }

  #cut(count: number): Buffer {
    const cut = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return cut
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length)
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    return true
  }
}
