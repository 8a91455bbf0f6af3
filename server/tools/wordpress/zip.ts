import { crc32, deflateRawSync } from 'node:zlib'

/** 1 January 1980, the first day that the format knows, so that the same files are the same bytes. */
const DATE = 0x21
/** Names are UTF-8. */
const FLAGS = 0x800
const DEFLATE = 8
const VERSION = 20

/** An archive of the files under `folder/`. */
export function zipOf(folder: string, files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const entries: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [path, bytes] of files) {
    const name = Buffer.from(`${folder}/${path}`)
    const packed = deflateRawSync(bytes)
    const sizes = [crc32(bytes), packed.length, bytes.length]
    const head = numbers([2, [VERSION, FLAGS, DEFLATE, 0, DATE]], [4, sizes], [2, [name.length, 0]])
    const entry = Buffer.concat([numbers([4, [0x04034b50]]), head, name, packed])
    directory.push(
      Buffer.concat([numbers([4, [0x02014b50]], [2, [VERSION]]), head, numbers([2, [0, 0, 0]], [4, [0, at]]), name]),
    )
    entries.push(entry)
    at += entry.length
  }
  const list = Buffer.concat(directory)
  const end = numbers([4, [0x06054b50]], [2, [0, 0, files.size, files.size]], [4, [list.length, at]], [2, [0]])
  return Buffer.concat([...entries, list, end])
}

/** Little-endian numbers, each group of the given bytes. */
function numbers(...groups: [bytes: 2 | 4, values: readonly number[]][]): Buffer {
  return Buffer.concat(
    groups.flatMap(([bytes, values]) =>
      values.map((value) => {
        const buffer = Buffer.alloc(bytes)
        buffer.writeUIntLE(value, 0, bytes)
        return buffer
      }),
    ),
  )
}
