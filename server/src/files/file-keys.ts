import { randomBytes } from 'node:crypto'

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp', 'image/svg+xml': 'svg' } as const

export type ContentType = keyof typeof EXTENSIONS

const STEM = 32
const KEY = /^[A-Za-z0-9_-]{32}(?:-\d{1,4})?\.(?:png|jpg|webp|svg)$/

export const isFileKey = (key: string): boolean => KEY.test(key)

/** Keys cannot be guessed. They contain the content type, so that a file is served without a database query. */
export const fileKey = (type: ContentType): string => `${randomBytes(24).toString('base64url')}.${EXTENSIONS[type]}`

/** Derived from the source's key: a half-made file from before a crash is overwritten, and removed with its source. */
export const variantKey = (key: string, width: number): string => `${key.slice(0, STEM)}-${width}.webp`

/** The keys of the files of which the key may be the one, or a narrower copy. */
export const sourceKeys = (key: string): string[] =>
  Object.values(EXTENSIONS).map((extension) => `${key.slice(0, STEM)}.${extension}`)

export function contentTypeOf(key: string): ContentType {
  const extension = key.slice(key.lastIndexOf('.') + 1)
  const found = Object.entries(EXTENSIONS).find(([, known]) => known === extension)
  if (!found) throw new Error(`${key} is no key of a file`)
  return found[0] as ContentType
}

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

export const widthsOf = (list: string): number[] => `${list}`.split(' ').filter(Boolean).map(Number)
