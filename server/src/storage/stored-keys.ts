import { variantKey } from './file-keys.ts'

/** Fields of a row of the table `files`. */
export interface FileFacts {
  readonly key: string
  readonly byte_size: number
  readonly variant_widths: string
}

/** A picture that is stored without loss can be larger than its upload of 5 MiB. */
export const MOST_STORED_BYTES = 32 * 1024 * 1024

export interface FileRow extends FileFacts {
  readonly width: number
  readonly removed_at: number | null
}

/** A composed picture has no width before it is made. */
export const hasFile = ({ width, removed_at }: Pick<FileRow, 'width' | 'removed_at'>): boolean =>
  removed_at === null && width > 0

export const FILE_FACTS =
  'select key, byte_size, variant_widths from files where removed_at is null and width > 0 order by key'

export interface ExpectedFile {
  readonly key: string
  /** Null for a variant, whose size is not in the database. */
  readonly bytes: number | null
}

/** The keys under which the store holds a file and its narrower copies. */
export const expectedFiles = ({ key, byte_size, variant_widths }: FileFacts): ExpectedFile[] => [
  { key, bytes: byte_size },
  ...widthsOf(variant_widths).map((width) => ({ key: variantKey(key, width), bytes: null })),
]

const widthsOf = (list: string): number[] => `${list}`.split(' ').filter(Boolean).map(Number)
