const MESSAGES = {
  wrong_type: 'The bytes are not of the content type that the ticket was asked for.',
  damaged: 'The picture is damaged or not complete.',
  animated: 'A picture here stands still: animations are refused.',
  too_costly: 'The picture takes too much time or memory to read.',
  too_large: 'At most 8,192 pixels a side and 25 million in all.',
} as const

/** A message may quote a refused name, and a name can be megabytes long. */
const LONGEST_MESSAGE = 200

/** The uploaded bytes are not a picture that can be shown. */
export class PictureRefused extends Error {
  readonly code: string

  constructor(code: keyof typeof MESSAGES)
  constructor(code: 'unsafe_svg', message: string)
  constructor(code: keyof typeof MESSAGES | 'unsafe_svg', message?: string) {
    super((message ?? MESSAGES[code as keyof typeof MESSAGES]).slice(0, LONGEST_MESSAGE))
    this.name = 'PictureRefused'
    this.code = code
  }

  /** The same error as another process has thrown. */
  static from(code: string, message: string): PictureRefused {
    return new PictureRefused(code as 'unsafe_svg', message)
  }
}
