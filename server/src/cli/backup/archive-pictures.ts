import { writeFile } from 'node:fs/promises'
import type { Row } from '../../backup/table-rows.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { FileRow } from '../../db/tables.ts'
import { contentTypeOf, expectedFiles, hasFile, isFileKey, MOST_STORED_BYTES } from '../../files/file-keys.ts'
import type { FileStore } from '../../files/file-store.ts'
import { PictureRefused } from '../../files/pictures/container.ts'
import type { Decoding } from '../../files/pictures/decoding.ts'
import { isBarePicture } from '../../files/pictures/rewrite-picture.ts'
import { archiveFault, quoted } from './check-row.ts'

interface Expected {
  readonly width: number
  /** Null for a narrower copy, of which the database knows only the width. */
  readonly row: Row | null
}

interface Places {
  readonly store: FileStore
  readonly decoding: Decoding
  isOwned(key: string): Promise<boolean>
  /** False for a backup: one damaged picture must not keep the rest from being restored. */
  readonly mustBeSound: boolean
}

/** The pictures of an archive: each is decoded as an upload is, before it is stored. */
export class ArchivePictures {
  /** The keys that were stored. */
  readonly stored: string[] = []
  /** Pictures that are left out, because their bytes are none. */
  readonly refused: string[] = []
  /** The sizes of pictures that were written again, by their keys. */
  readonly sizes = new Map<string, number>()
  readonly #places: Places
  readonly #expected = new Map<string, Expected>()

  constructor(places: Places) {
    this.#places = places
  }

  /** A picture comes after its row. */
  expect(rows: readonly Row[]): void {
    for (const row of rows.filter((each) => hasFile(each as unknown as FileRow))) {
      const [source, ...copies] = expectedFiles(row as unknown as FileRow)
      if (source) this.#expected.set(source.key, { width: Number(row['width']), row })
      for (const { key } of copies) this.#expected.set(key, { width: Number(/-(\d+)\./.exec(key)?.[1]), row: null })
    }
  }

  async take(key: string, { bytes, chunks }: { bytes: number; chunks: AsyncIterable<Uint8Array> }): Promise<void> {
    const { store, isOwned, mustBeSound } = this.#places
    // A key with a path in it would be written elsewhere.
    if (!isFileKey(key)) throw archiveFault('files', `Must be names of pictures, and one is ${quoted(key)}.`)
    const place = `files/${key}`
    const expected = this.#expected.get(key)
    if (!expected) throw archiveFault(place, 'Must be named by a row of rows/files before it, and stand there once.')
    if (bytes > MOST_STORED_BYTES)
      throw archiveFault(place, `Must have at most ${MOST_STORED_BYTES} bytes, and has ${bytes}.`)
    this.#expected.delete(key)
    // A picture without a row is of an import that was killed.
    if (await isOwned(key)) throw new PlainFailure(`The picture ${key} is here already: nothing was imported.`)
    const [path, rewritten] = [store.workspace.newPath(), store.workspace.newPath()]
    try {
      await writeFile(path, chunks, { mode: 0o600 })
      const isKept = await this.#check(key, { path, rewritten, expected })
      const from = isKept ? path : rewritten
      if (expected.row && expected.row['byte_size'] !== Bun.file(from).size) this.sizes.set(key, Bun.file(from).size)
      await store.put(key, from)
      this.stored.push(key)
    } catch (error) {
      if (!(error instanceof PictureRefused)) throw error
      if (mustBeSound) throw archiveFault(place, error.message)
      this.refused.push(key)
    } finally {
      for (const left of [path, rewritten]) await store.workspace.discard(left)
    }
  }

  /** True if the bytes can be stored as they are: nothing but the picture is in them. Otherwise the rewritten ones are. */
  async #check(key: string, { path, rewritten, expected }: { path: string; rewritten: string; expected: Expected }) {
    const type = contentTypeOf(key)
    const bytes = await Bun.file(path).bytes()
    const { width, height } = await this.#places.decoding.rewrite({ from: path, to: rewritten, type })
    const { row } = expected
    if (width !== expected.width || (row && height !== row['height'])) {
      throw archiveFault(
        `files/${key}`,
        `Must be as wide and high as its row in rows/files says, and is ${width} by ${height} pixels.`,
      )
    }
    const isBare = isBarePicture(type, bytes) || Buffer.compare(bytes, await Bun.file(rewritten).bytes()) === 0
    // Reading a PNG may cut what it does not need from its file.
    return isBare && Bun.file(path).size === bytes.length
  }
}
